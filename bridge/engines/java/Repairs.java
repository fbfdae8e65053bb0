package bridge.jvm;

import bridge.jvm.ClassFiles.Member;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.xbean.asm9.Handle;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.Type;

/** What stands in the place of members of an older Hudi that a later one lacks or has closed, as `BuiltFor` says. */
final class Repairs {
    static final String OPTION = "org/apache/hudi/common/util/Option";
    /** Static methods with another name or home, by owner, name and descriptor. */
    private static final Map MOVED = new HashMap();
    /** Methods whose last parameter but one is an Option now, and the descriptor with it. */
    private static final Map OPTIONAL = new HashMap();

    static {
        String utils = "org/apache/hudi/avro/HoodieAvroUtils";
        String wrappers = "org/apache/hudi/avro/HoodieAvroWrapperUtils";
        moved(utils, "unwrapAvroValueWrapper", "(Ljava/lang/Object;)Ljava/lang/Comparable;", wrappers, null);
        moved(utils, "wrapValueIntoAvro", "(Ljava/lang/Comparable;)Ljava/lang/Object;", wrappers, null);
        moved("org/apache/hudi/common/util/ConfigUtils", "getOrderingField",
            "(Ljava/util/Properties;)Ljava/lang/String;", "org/apache/hudi/common/util/ConfigUtils",
            "getOrderingFieldsStr");
        String record = "Lorg/apache/avro/generic/IndexedRecord;";
        OPTIONAL.put("needUpdatingPersistedRecord(" + record + record + "Ljava/util/Properties;)Z",
            "(" + record + "L" + OPTION + ";Ljava/util/Properties;)Z");
    }

    private final ClassFiles now;
    private final ClassFiles then;
    private final Map repairs = new HashMap();

    Repairs(ClassFiles now, ClassFiles then) {
        this.now = now;
        this.then = then;
    }

    private static void moved(String owner, String name, String descriptor, String newOwner, String newName) {
        MOVED.put(owner + "." + name + descriptor, new String[] {newOwner, newName == null ? name : newName});
    }

    /** What stands in the place of a member that is gone: an instruction, and what it is in words. */
    static final class Repair {
        /** What is done: the getter of a field, another method, one more Option, carried code, or nothing. */
        static final int GETTER = 0;
        static final int METHOD = 1;
        static final int WRAPPED = 2;
        static final int CARRIED = 3;
        static final int NONE = 4;

        final int kind;
        final String owner;
        final String name;
        final String descriptor;
        /** The class of Hudi that had the member. */
        final String from;

        Repair(int kind, String owner, String name, String descriptor, String from) {
            this.kind = kind;
            this.owner = owner;
            this.name = name;
            this.descriptor = descriptor;
            this.from = from;
        }

        String told(String wasCalled) {
            String target = simple(owner) + "." + name;
            switch (kind) {
                case GETTER:
                    return name + "()";
                case METHOD:
                    return target + parameters(descriptor);
                case WRAPPED:
                    return name + parameters(descriptor);
                case CARRIED:
                    return "a copy of the older " + wasCalled;
                default:
                    return "";
            }
        }
    }

    /** Returns what stands in the place of a member that `user` uses; null where the member itself is still there. */
    synchronized Repair of(String user, int opcode, String owner, String name, String descriptor) {
        boolean isField = opcode <= Opcodes.PUTFIELD;
        String key = isField ? ClassFile.fieldKey(name, descriptor) : name + descriptor;
        String asked = user + " " + opcode + " " + owner + " " + key;
        if (!repairs.containsKey(asked)) {
            repairs.put(asked, made(user, opcode, owner, name, descriptor, key));
        }
        return (Repair) repairs.get(asked);
    }

    private Repair made(String user, int opcode, String owner, String name, String descriptor, String key) {
        ClassFile used = owner.startsWith("[") ? null : now.of(owner);
        if (used == null || used.origin == ClassFile.SHARED) {
            return null;
        }
        List line = now.lineOf(owner);
        if (!ClassFiles.hasHudi(line) || !now.isWhole(line)) {
            return null;
        }
        Member found = now.member(line, key);
        boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC || opcode == Opcodes.INVOKESTATIC;
        if (found != null && found.is(Opcodes.ACC_STATIC) == isStatic && now.isOpen(found, user)) {
            return null;
        }
        Member was = then.member(then.lineOf(owner), key);
        String from = was == null ? owner : was.owner.name;
        Repair replaced = opcode <= Opcodes.PUTFIELD ? getter(line, user, opcode, owner, name, descriptor, from)
            : another(line, user, opcode, owner, name, descriptor, from);
        if (replaced != null) {
            return replaced;
        }
        if (was != null && was.owner.origin == ClassFile.OF_HUDI) {
            boolean hasCode = !name.equals("<init>") && !was.is(Opcodes.ACC_ABSTRACT);
            if (isStatic || opcode > Opcodes.PUTFIELD && hasCode) {
                return new Repair(Repair.CARRIED, from + BuiltFor.SUFFIX, name,
                    isStatic ? descriptor : withObject(from, descriptor), from);
            }
        }
        return new Repair(Repair.NONE, owner, name, descriptor, from);
    }

    private Repair getter(List line, String user, int opcode, String owner, String name, String descriptor,
        String from) {
        String getter = "get" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
        Member found = opcode == Opcodes.GETFIELD ? now.member(line, getter + "()" + descriptor) : null;
        return found == null || found.is(Opcodes.ACC_STATIC) || !now.isOpen(found, user) ? null
            : new Repair(Repair.GETTER, owner, getter, "()" + descriptor, from);
    }

    private Repair another(List line, String user, int opcode, String owner, String name, String descriptor,
        String from) {
        String[] moved = (String[]) MOVED.get(from + "." + name + descriptor);
        if (moved != null) {
            Member found = now.member(now.lineOf(moved[0]), moved[1] + descriptor);
            if (found != null && now.isOpen(found, user)) {
                return new Repair(Repair.METHOD, moved[0], moved[1], descriptor, from);
            }
        }
        String general = general(line, user, opcode == Opcodes.INVOKESTATIC, name, descriptor);
        if (general != null) {
            return new Repair(Repair.METHOD, owner, name, general, from);
        }
        String wrapped = (String) OPTIONAL.get(name + descriptor);
        if (wrapped != null && opcode != Opcodes.INVOKESTATIC) {
            Member found = now.member(line, name + wrapped);
            if (found != null && now.isOpen(found, user)) {
                return new Repair(Repair.WRAPPED, owner, name, wrapped, from);
            }
        }
        return null;
    }

    /** Returns the descriptor of the one method that a compiler would choose for the same arguments; null for none. */
    private String general(List line, String user, boolean isStatic, String name, String descriptor) {
        Type[] given = Type.getArgumentTypes(descriptor);
        Type returned = Type.getReturnType(descriptor);
        String best = null;
        int bestAlike = -1;
        for (Iterator i = line.iterator(); i.hasNext();) {
            ClassFile file = (ClassFile) i.next();
            for (Iterator j = file.methods(name).iterator(); j.hasNext();) {
                String key = (String) j.next();
                Member member = new Member(file, key, file.access(key).intValue());
                String found = key.substring(name.length());
                Type[] wanted = Type.getArgumentTypes(found);
                if (wanted.length != given.length || member.is(Opcodes.ACC_STATIC) != isStatic
                    || !now.isOpen(member, user) || !now.isAssignable(Type.getReturnType(found), returned)) {
                    continue;
                }
                int alike = 0;
                boolean fits = true;
                for (int k = 0; k < given.length && fits; k++) {
                    fits = now.isAssignable(given[k], wanted[k]);
                    alike += given[k].equals(wanted[k]) ? 1 : 0;
                }
                if (fits && alike > bestAlike) {
                    best = found;
                    bestAlike = alike;
                }
            }
            if (name.equals("<init>")) {
                break; // constructors are not inherited
            }
        }
        return best;
    }

    /** Returns the parameters of a method of an object where the object is the first. */
    static String withObject(String type, String descriptor) {
        return "(L" + type + ";" + descriptor.substring(1);
    }

    /** Returns the name of a class without its package. */
    static String simple(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** Returns the parameters of a method as they are written. */
    static String parameters(String descriptor) {
        Type[] types = Type.getArgumentTypes(descriptor);
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < types.length; i++) {
            String name = types[i].getClassName();
            text.append(i == 0 ? "" : ", ").append(name.substring(name.lastIndexOf('.') + 1));
        }
        return text.append(")").toString();
    }

    /** Returns the instruction that a method handle stands for; -1 for those of fields. */
    static int opcode(Handle handle) {
        switch (handle.getTag()) {
            case Opcodes.H_INVOKESTATIC:
                return Opcodes.INVOKESTATIC;
            case Opcodes.H_INVOKEVIRTUAL:
                return Opcodes.INVOKEVIRTUAL;
            case Opcodes.H_INVOKEINTERFACE:
                return Opcodes.INVOKEINTERFACE;
            case Opcodes.H_INVOKESPECIAL:
            case Opcodes.H_NEWINVOKESPECIAL:
                return Opcodes.INVOKESPECIAL;
            default:
                return -1;
        }
    }
}
