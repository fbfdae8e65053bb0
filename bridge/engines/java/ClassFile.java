package bridge.jvm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.FieldVisitor;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;

/** What a class file declares, under the names that Java gives classes inside: slashes for dots. */
final class ClassFile extends ClassVisitor {
    /** Where a class comes from: Spark and Java, a bundle of Hudi, the jars of the user, or an older bundle alone. */
    static final int SHARED = 0;
    static final int OF_HUDI = 1;
    static final int OF_USER = 2;
    static final int GONE = 3;

    final int origin;
    String name;
    /** The superclass, if there is one, then the interfaces. */
    final List parents = new ArrayList();
    /** Access flags by name and descriptor; fields have a space between both. */
    private final Map members = new HashMap();

    private ClassFile(int origin) {
        super(Opcodes.ASM9);
        this.origin = origin;
    }

    static ClassFile of(byte[] bytes, int origin) {
        ClassFile read = new ClassFile(origin);
        new ClassReader(bytes).accept(read, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return read;
    }

    public void visit(int version, int access, String named, String signature, String superclass, String[] interfaces) {
        name = named;
        if (superclass != null) {
            parents.add(superclass);
        }
        for (int i = 0; i < interfaces.length; i++) {
            parents.add(interfaces[i]);
        }
    }

    public FieldVisitor visitField(int access, String named, String descriptor, String signature, Object value) {
        members.put(fieldKey(named, descriptor), Integer.valueOf(access));
        return null;
    }

    public MethodVisitor visitMethod(int access, String named, String descriptor, String signature, String[] thrown) {
        members.put(named + descriptor, Integer.valueOf(access));
        return null;
    }

    static String fieldKey(String name, String descriptor) {
        return name + " " + descriptor;
    }

    /** Returns the access flags of a member; null where the class itself declares none. */
    Integer access(String key) {
        return (Integer) members.get(key);
    }

    /** Returns the methods of a name that the class itself declares, by name and descriptor. */
    List methods(String named) {
        List found = new ArrayList();
        for (Iterator i = new TreeSet(members.keySet()).iterator(); i.hasNext();) {
            String key = (String) i.next();
            if (key.startsWith(named + "(")) {
                found.add(key);
            }
        }
        return found;
    }

    /** Returns all methods that the class itself declares. */
    List methods() {
        List found = new ArrayList();
        for (Iterator i = new TreeSet(members.keySet()).iterator(); i.hasNext();) {
            String key = (String) i.next();
            if (key.indexOf(' ') < 0) {
                found.add(key);
            }
        }
        return found;
    }

    static String packageOf(String name) {
        return name.substring(0, name.lastIndexOf('/') + 1);
    }
}
