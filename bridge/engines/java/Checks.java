package bridge.jvm;

import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;

/** What the driver asks about a class before any task starts. */
public final class Checks {
    private Checks() {
    }

    /** Says why a class can't be used: a word for the reason and what it is about; null where it can. */
    public static String[] refused(String name) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(Checks.class.getClassLoader());
        try {
            return refused(name, HoodieRecordPayload.class, new Class[] {GenericRecord.class, Comparable.class});
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** The same for a class that must be a `wanted` and have a public constructor of these parameters. */
    static String[] refused(String name, Class wanted, Class[] parameters) {
        Class type;
        try {
            type = Checks.class.getClassLoader().loadClass(name);
        } catch (ClassNotFoundException missing) {
            return new String[] {"missing", name};
        } catch (LinkageError broken) {
            return new String[] {"broken", Failures.reason(broken, name)};
        }
        if (!wanted.isAssignableFrom(type)) {
            return new String[] {"unrelated", type.getName()};
        }
        if (Modifier.isAbstract(type.getModifiers())) {
            return new String[] {"abstract", type.getName()};
        }
        if (!Modifier.isPublic(type.getModifiers())) {
            return new String[] {"hidden", type.getName()};
        }
        try {
            type.getConstructor(parameters);
            Class.forName(name, true, type.getClassLoader()); // its static initialiser, as Hudi's driver does
        } catch (NoSuchMethodException missing) {
            StringBuilder others = new StringBuilder();
            Constructor[] all = type.getConstructors();
            for (int i = 0; i < all.length; i++) {
                others.append(i == 0 ? "" : ", ").append(parameters(all[i].getParameterTypes()));
            }
            return new String[] {"constructor", others.toString()};
        } catch (ClassNotFoundException gone) {
            return new String[] {"missing", name};
        } catch (Error broken) {
            if (!(broken instanceof LinkageError) && !(broken instanceof Exits.ExitError)
                && !Failures.isOfClass(broken)) {
                throw broken;
            }
            return new String[] {"broken", Failures.reason(broken, name)};
        }
        return null;
    }

    /** Returns a list of parameters as it is written. */
    static String parameters(Class[] types) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < types.length; i++) {
            text.append(i == 0 ? "" : ", ").append(types[i].getSimpleName());
        }
        return text.append(")").toString();
    }
}
