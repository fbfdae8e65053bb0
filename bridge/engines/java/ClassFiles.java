package bridge.jvm;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.Type;

/** The classes that a user's class sees behind one bundle of Hudi, read from their files and never loaded. */
final class ClassFiles {
    private static final String HUDI = "org/apache/hudi/";

    private final URLClassLoader bundle;
    private final URLClassLoader gone;
    private final URLClassLoader users;
    private final ClassLoader shared;
    private final Map read = new HashMap();

    /** A member, and the class that declares it. */
    static final class Member {
        final ClassFile owner;
        final String key;
        final int access;

        Member(ClassFile owner, String key, int access) {
            this.owner = owner;
            this.key = key;
            this.access = access;
        }

        boolean is(int flag) {
            return (access & flag) != 0;
        }
    }

    /** `gone` has the classes of Hudi that `bundle` lacks; null for none. */
    ClassFiles(URLClassLoader bundle, URLClassLoader gone, URLClassLoader users, ClassLoader shared) {
        this.bundle = bundle;
        this.gone = gone;
        this.users = users;
        this.shared = shared;
    }

    static byte[] bytes(URL file) throws IOException {
        return JarLoader.bytes(file.openStream());
    }

    /** Returns a class; null where there is none of this name. */
    synchronized ClassFile of(String name) {
        if (!read.containsKey(name)) {
            try {
                read.put(name, found(name));
            } catch (IOException unreadable) {
                throw new LinkageError(name + " can't be read: " + unreadable, unreadable);
            }
        }
        return (ClassFile) read.get(name);
    }

    private ClassFile found(String name) throws IOException {
        String path = name + ".class";
        if (!JarLoader.isShared(name.replace('/', '.'))) {
            URL file = bundle.findResource(path);
            if (file != null) {
                return ClassFile.of(bytes(file), ClassFile.OF_HUDI);
            }
            file = linked(name);
            if (file != null) {
                return ClassFile.of(bytes(file), users.findResource(path) == null ? ClassFile.GONE : ClassFile.OF_USER);
            }
        }
        URL file = shared.getResource(path);
        return file == null ? null : ClassFile.of(bytes(file), ClassFile.SHARED);
    }

    /** Returns the file of a class that is linked to the bundle: of the user, or of Hudi and gone; null for neither. */
    URL linked(String name) {
        String path = name + ".class";
        if (bundle.findResource(path) != null) {
            return null;
        }
        URL file = users.findResource(path);
        return file != null || gone == null || !name.startsWith(HUDI) ? file : gone.findResource(path);
    }

    /** Returns the class itself and all that it inherits from, in the order in which Java looks for members. */
    List lineOf(String name) {
        List line = new ArrayList();
        add(name, line, new HashSet());
        return line;
    }

    private void add(String name, List line, Set seen) {
        ClassFile file = of(name);
        if (file == null || !seen.add(name)) {
            return;
        }
        line.add(file);
        for (Iterator i = file.parents.iterator(); i.hasNext();) {
            add((String) i.next(), line, seen);
        }
    }

    /** Whether all classes of a line are there; what can't be read may declare anything. */
    boolean isWhole(List line) {
        for (Iterator i = line.iterator(); i.hasNext();) {
            for (Iterator j = ((ClassFile) i.next()).parents.iterator(); j.hasNext();) {
                if (of((String) j.next()) == null) {
                    return false;
                }
            }
        }
        return !line.isEmpty();
    }

    static boolean hasHudi(List line) {
        for (Iterator i = line.iterator(); i.hasNext();) {
            if (((ClassFile) i.next()).origin == ClassFile.OF_HUDI) {
                return true;
            }
        }
        return false;
    }

    /** Returns the member that Java finds by name and descriptor; null for none. */
    Member member(List line, String key) {
        for (Iterator i = line.iterator(); i.hasNext();) {
            ClassFile file = (ClassFile) i.next();
            Integer access = file.access(key);
            if (access != null) {
                return new Member(file, key, access.intValue());
            }
        }
        return null;
    }

    /** Whether code of the class `user` may use a member of Hudi. */
    boolean isOpen(Member member, String user) {
        if (member.owner.origin != ClassFile.OF_HUDI || member.owner.name.equals(user)) {
            return true;
        }
        if (member.is(Opcodes.ACC_PRIVATE)) {
            return false;
        }
        boolean isNear = ClassFile.packageOf(member.owner.name).equals(ClassFile.packageOf(user));
        return member.is(Opcodes.ACC_PUBLIC) || isNear
            || member.is(Opcodes.ACC_PROTECTED) && inherits(user, member.owner.name);
    }

    boolean inherits(String name, String from) {
        for (Iterator i = lineOf(name).iterator(); i.hasNext();) {
            if (((ClassFile) i.next()).name.equals(from)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a value of one type may stand where the other is declared. */
    boolean isAssignable(Type given, Type wanted) {
        if (given.equals(wanted)) {
            return true;
        }
        if (given.getSort() < Type.ARRAY || wanted.getSort() != Type.OBJECT) {
            return false;
        }
        if (wanted.getInternalName().equals("java/lang/Object")) {
            return true;
        }
        return given.getSort() == Type.OBJECT && inherits(given.getInternalName(), wanted.getInternalName());
    }
}
