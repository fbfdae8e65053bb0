package bridge.jvm;

import bridge.jvm.ClassFiles.Member;
import bridge.jvm.Repairs.Repair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.Handle;
import org.apache.xbean.asm9.Label;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;

/** Says what `BuiltFor` changes in a class of the user, and in those of its jars that it uses. */
final class Changes {
    private final ClassFiles now;
    private final ClassFiles then;
    private final Repairs repairs;
    private final Set found = new LinkedHashSet();
    private final List open = new ArrayList();

    Changes(ClassFiles now, ClassFiles then, Repairs repairs) {
        this.now = now;
        this.then = then;
        this.repairs = repairs;
    }

    /**
     * Returns lines of a word, where it is, the member that no longer links, and what stands in its place.
     *
     * The word is `changed`, `gone` where nothing stands there, or `dead` for a method that overrides nothing any more,
     * with what the release calls in its place.
     */
    String[][] of(String name) throws IOException {
        Set seen = new HashSet();
        open.add(name.replace('.', '/'));
        while (!open.isEmpty()) {
            String next = (String) open.remove(open.size() - 1);
            ClassFile file = seen.add(next) ? now.of(next) : null;
            if (file == null || file.origin != ClassFile.OF_USER && file.origin != ClassFile.GONE) {
                continue;
            }
            open.addAll(file.parents);
            if (file.origin == ClassFile.GONE) {
                add("changed", Repairs.simple(name.replace('.', '/')), "the class " + next.replace('/', '.'),
                    "a copy of the older one");
            }
            new ClassReader(ClassFiles.bytes(now.linked(next))).accept(new Reading(this), 0);
            addDead(file);
        }
        String[][] lines = new String[found.size()][];
        int at = 0;
        for (Iterator i = found.iterator(); i.hasNext();) {
            lines[at++] = (String[]) ((List) i.next()).toArray(new String[0]);
        }
        return lines;
    }

    private void add(String word, String where, String member, String instead) {
        found.add(Arrays.asList(new String[] {word, where, member, instead}));
    }

    /** Notes the methods that override one of the older release, and nothing of this one. */
    private void addDead(ClassFile file) {
        for (Iterator i = file.methods().iterator(); i.hasNext();) {
            String key = (String) i.next();
            int hidden = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
            if (key.startsWith("<") || (file.access(key).intValue() & hidden) != 0) {
                continue;
            }
            Member was = overridden(then, file, key);
            if (was == null || was.owner.origin != ClassFile.OF_HUDI || overridden(now, file, key) != null) {
                continue;
            }
            String named = key.substring(0, key.indexOf('('));
            add("dead", file.name.replace('/', '.'), named + Repairs.parameters(key.substring(named.length())),
                namesake(was.owner.name, named));
        }
    }

    private static Member overridden(ClassFiles files, ClassFile file, String key) {
        List line = files.lineOf(file.name);
        for (Iterator i = line.subList(1, line.size()).iterator(); i.hasNext();) {
            ClassFile parent = (ClassFile) i.next();
            Integer access = parent.access(key);
            if (access != null && (access.intValue() & (Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC)) == 0) {
                return new Member(parent, key, access.intValue());
            }
        }
        return null;
    }

    /** Returns the method of the same name that the release has; an empty text for none. */
    private String namesake(String owner, String name) {
        for (Iterator i = now.lineOf(owner).iterator(); i.hasNext();) {
            ClassFile parent = (ClassFile) i.next();
            for (Iterator j = parent.methods(name).iterator(); j.hasNext();) {
                String key = (String) j.next();
                if ((parent.access(key).intValue() & (Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC)) == 0) {
                    return name + Repairs.parameters(key.substring(name.length()));
                }
            }
        }
        return "";
    }

    private static final class Reading extends ClassVisitor {
        private final Changes changes;
        private String user;

        Reading(Changes changes) {
            super(Opcodes.ASM9);
            this.changes = changes;
        }

        public void visit(int version, int access, String name, String signature, String superclass, String[] types) {
            user = name;
        }

        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
            return new Uses(changes, user, name);
        }
    }

    private static final class Uses extends MethodVisitor {
        private final Changes changes;
        private final String user;
        private final String method;
        private int line;

        Uses(Changes changes, String user, String method) {
            super(Opcodes.ASM9);
            this.changes = changes;
            this.user = user;
            this.method = method;
        }

        public void visitLineNumber(int number, Label start) {
            line = number;
        }

        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            note(opcode, owner, name, descriptor);
        }

        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            note(opcode, owner, name, descriptor);
        }

        public void visitTypeInsn(int opcode, String type) {
            changes.open.add(type);
        }

        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object[] arguments) {
            for (int i = 0; i < arguments.length; i++) {
                if (arguments[i] instanceof Handle) {
                    Handle handle = (Handle) arguments[i];
                    int opcode = Repairs.opcode(handle);
                    if (opcode >= 0) {
                        note(opcode, handle.getOwner(), handle.getName(), handle.getDesc());
                    }
                }
            }
        }

        private void note(int opcode, String owner, String name, String descriptor) {
            changes.open.add(owner);
            Repair repair = changes.repairs.of(user, opcode, owner, name, descriptor);
            if (repair == null) {
                return;
            }
            String from = Repairs.simple(repair.from);
            String member = opcode <= Opcodes.PUTFIELD ? from + "." + name
                : name.equals("<init>") ? "new " + from + Repairs.parameters(descriptor)
                : from + "." + name + Repairs.parameters(descriptor);
            String where = Repairs.simple(user) + "." + (method.equals("<init>") ? "the constructor" : method)
                + (line == 0 ? "" : " (line " + line + ")");
            changes.add(repair.kind == Repair.NONE ? "gone" : "changed", where, member, repair.told(member));
        }
    }
}
