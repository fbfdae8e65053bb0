package bridge.jvm;

import bridge.jvm.Repairs.Repair;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.FieldVisitor;
import org.apache.xbean.asm9.Handle;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.commons.ClassRemapper;
import org.apache.xbean.asm9.commons.Remapper;

/**
 * Links classes that were compiled for an older Hudi to a later one, as recompiling would.
 *
 * A class of the user inherits from the later release and is called by it. Only what no longer links is changed as the
 * class is loaded: a field that has become private is read by its getter, a method that now takes more general
 * parameters is called with these, one that moved is called where it is. What has no counterpart is carried along: the
 * older bundle's code of it, in a class named with `SUFFIX`, linked to the later release in the same way. A class of
 * Hudi that is gone altogether comes from the older bundle. So all is in one class loader, where the objects that a
 * payload is lent, returns or changes are the very ones.
 */
final class BuiltFor {
    static final String SUFFIX = "$BuiltFor";
    private static final String SUPER = "super$";

    private final URLClassLoader older;
    private final ClassFiles now;
    private final ClassFiles then;
    private final Repairs repairs;

    BuiltFor(URL bundle, URL[] users, URL older, ClassLoader shared) {
        this.older = new URLClassLoader(new URL[] {older}, null);
        URLClassLoader own = new URLClassLoader(users, null);
        now = new ClassFiles(new URLClassLoader(new URL[] {bundle}, null), this.older, own, shared);
        then = new ClassFiles(this.older, null, own, shared);
        repairs = new Repairs(now, then);
    }

    /** Returns what is changed in a class of the user, as `Changes` says it. */
    String[][] changes(String name) throws IOException {
        return new Changes(now, then, repairs).of(name);
    }

    /** Returns the file of a class that is linked to the later release; null for all other classes. */
    URL file(String name) {
        String path = name.replace('.', '/');
        int suffix = path.indexOf(SUFFIX);
        return suffix < 0 ? now.linked(path)
            : older.findResource(path.substring(0, suffix) + path.substring(suffix + SUFFIX.length()) + ".class");
    }

    /** Returns a class as it is to be loaded under a name; one that is none of those of `file`, as it is. */
    byte[] linked(String name, byte[] original) {
        String path = name.replace('.', '/');
        int suffix = path.indexOf(SUFFIX);
        if (suffix >= 0) {
            return carried(original, path.substring(0, suffix), path.length() == suffix + SUFFIX.length());
        }
        return now.linked(path) == null ? original : repaired(original);
    }

    private byte[] repaired(byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Repairing(writer, repairs, null), 0);
        return writer.toByteArray();
    }

    // -- the older bundle's code

    /** Returns a class of static methods and fields that are the code of an older class, or one nested in that. */
    private byte[] carried(byte[] original, final String name, boolean isItself) {
        // The compiler numbers nested classes without a name anew in each release, so the older ones come along.
        Remapper renamed = new Remapper() {
            public String map(String used) {
                boolean isUnnamed = used.startsWith(name + "$") && used.length() > name.length() + 1
                    && Character.isDigit(used.charAt(name.length() + 1));
                return isUnnamed ? name + SUFFIX + used.substring(name.length()) : used;
            }
        };
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        ClassVisitor repairing = new Repairing(writer, repairs, name);
        ClassVisitor next = isItself ? (ClassVisitor) new Carrying(repairing, name) : repairing;
        reader.accept(new ClassRemapper(next, renamed), 0);
        return writer.toByteArray();
    }

    /** Makes a class one of static members: methods of objects take the object first, constructors are left out. */
    private static final class Carrying extends ClassVisitor {
        private final String name;

        Carrying(ClassVisitor next, String name) {
            super(Opcodes.ASM9, next);
            this.name = name;
        }

        public void visit(int version, int access, String named, String signature, String superclass, String[] types) {
            super.visit(version, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name + SUFFIX, null, "java/lang/Object",
                new String[0]);
        }

        public void visitOuterClass(String owner, String method, String descriptor) {
            return;
        }

        public void visitInnerClass(String named, String outer, String inner, int access) {
            return;
        }

        public void visitNestHost(String host) {
            return;
        }

        public void visitNestMember(String member) {
            return;
        }

        public FieldVisitor visitField(int access, String named, String descriptor, String signature, Object value) {
            if ((access & Opcodes.ACC_STATIC) == 0) {
                return null;
            }
            return super.visitField(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, named, descriptor, null, value);
        }

        public MethodVisitor visitMethod(int access, String named, String descriptor, String signature, String[] thrown) {
            if (named.equals("<init>") || (access & Opcodes.ACC_ABSTRACT) != 0) {
                return null;
            }
            if (named.equals("<clinit>")) {
                return super.visitMethod(access, named, descriptor, null, thrown);
            }
            String own = (access & Opcodes.ACC_STATIC) != 0 ? descriptor : Repairs.withObject(name, descriptor);
            return super.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, named, own, null, thrown);
        }
    }

    // -- changing code

    /** Changes a class; `carried` is the class whose members are static ones of this class, null for none. */
    private static final class Repairing extends ClassVisitor {
        private final Repairs repairs;
        private final String carried;
        private final List missing = new ArrayList();
        private String user;

        Repairing(ClassVisitor next, Repairs repairs, String carried) {
            super(Opcodes.ASM9, next);
            this.repairs = repairs;
            this.carried = carried;
        }

        public void visit(int version, int access, String name, String signature, String superclass, String[] types) {
            user = name;
            super.visit(version, access, name, signature, superclass, types);
        }

        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
            return next == null ? null : new Code(next, this);
        }

        public void visitEnd() {
            for (Iterator i = missing.iterator(); i.hasNext();) {
                fail((String) i.next());
            }
            super.visitEnd();
        }

        /** Adds a static method that says that a call of super can't be carried along. */
        private void fail(String key) {
            int at = key.indexOf('(');
            MethodVisitor code = super.visitMethod(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC, key.substring(0, at),
                key.substring(at), null, null);
            if (code == null) {
                return;
            }
            code.visitCode();
            code.visitTypeInsn(Opcodes.NEW, "java/lang/NoSuchMethodError");
            code.visitInsn(Opcodes.DUP);
            code.visitLdcInsn("a copy of an older method of " + carried + " can't call the method "
                + key.substring(SUPER.length(), at) + " of its superclass");
            code.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/NoSuchMethodError", "<init>",
                "(Ljava/lang/String;)V", false);
            code.visitInsn(Opcodes.ATHROW);
            code.visitMaxs(0, 0);
            code.visitEnd();
        }
    }

    private static final class Code extends MethodVisitor {
        private final Repairing owner;

        Code(MethodVisitor next, Repairing owner) {
            super(Opcodes.ASM9, next);
            this.owner = owner;
        }

        private Repair repair(int opcode, String from, String name, String descriptor) {
            String carried = owner.carried;
            if (carried == null) {
                return owner.repairs.of(owner.user, opcode, from, name, descriptor);
            }
            boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC
                || opcode == Opcodes.INVOKESTATIC;
            if (from.equals(carried) && isStatic) {
                return new Repair(Repair.CARRIED, carried + SUFFIX, name, descriptor, carried);
            }
            boolean isCarriedClass = owner.user.equals(carried + SUFFIX);
            if (opcode == Opcodes.INVOKESPECIAL && !name.equals("<init>") && isCarriedClass) {
                String withObject = Repairs.withObject(carried, descriptor);
                if (from.equals(carried)) {
                    return new Repair(Repair.CARRIED, carried + SUFFIX, name, withObject, carried);
                }
                if (!owner.missing.contains(SUPER + name + withObject)) {
                    owner.missing.add(SUPER + name + withObject);
                }
                return new Repair(Repair.CARRIED, carried + SUFFIX, SUPER + name, withObject, from);
            }
            return owner.repairs.of(owner.user, opcode, from, name, descriptor);
        }

        public void visitFieldInsn(int opcode, String from, String name, String descriptor) {
            Repair repair = repair(opcode, from, name, descriptor);
            if (repair == null || repair.kind == Repair.NONE) {
                super.visitFieldInsn(opcode, from, name, descriptor);
            } else if (repair.kind == Repair.GETTER) {
                super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, from, repair.name, repair.descriptor, false);
            } else {
                super.visitFieldInsn(opcode, repair.owner, name, descriptor);
            }
        }

        public void visitMethodInsn(int opcode, String from, String name, String descriptor, boolean isInterface) {
            Repair repair = repair(opcode, from, name, descriptor);
            if (repair == null || repair.kind == Repair.NONE) {
                super.visitMethodInsn(opcode, from, name, descriptor, isInterface);
            } else if (repair.kind == Repair.CARRIED) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, repair.owner, repair.name, repair.descriptor, false);
            } else {
                if (repair.kind == Repair.WRAPPED) {
                    super.visitInsn(Opcodes.SWAP);
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, Repairs.OPTION, "ofNullable",
                        "(Ljava/lang/Object;)L" + Repairs.OPTION + ";", false);
                    super.visitInsn(Opcodes.SWAP);
                }
                super.visitMethodInsn(opcode, repair.owner, repair.name, repair.descriptor, isInterface);
            }
        }

        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object[] arguments) {
            Object[] changed = (Object[]) arguments.clone();
            for (int i = 0; i < changed.length; i++) {
                if (changed[i] instanceof Handle) {
                    changed[i] = changed((Handle) changed[i]);
                }
            }
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, changed);
        }

        private Handle changed(Handle handle) {
            int opcode = Repairs.opcode(handle);
            Repair repair = opcode < 0 ? null : repair(opcode, handle.getOwner(), handle.getName(), handle.getDesc());
            if (repair == null || repair.kind == Repair.NONE || repair.kind == Repair.WRAPPED) {
                return handle;
            }
            int tag = repair.kind == Repair.CARRIED ? Opcodes.H_INVOKESTATIC : handle.getTag();
            boolean isInterface = repair.kind != Repair.CARRIED && handle.isInterface();
            return new Handle(tag, repair.owner, repair.name, repair.descriptor, isInterface);
        }
    }
}
