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
        Class type;
        try {
            type = Checks.class.getClassLoader().loadClass(name);
        } catch (ClassNotFoundException missing) {
            return new String[] {"missing", name};
        } catch (LinkageError broken) {
            return new String[] {"broken", broken.toString()};
        }
        if (!HoodieRecordPayload.class.isAssignableFrom(type)) {
            return new String[] {"unrelated", type.getName()};
        }
        if (Modifier.isAbstract(type.getModifiers())) {
            return new String[] {"abstract", type.getName()};
        }
        if (!Modifier.isPublic(type.getModifiers())) {
            return new String[] {"hidden", type.getName()};
        }
        try {
            type.getConstructor(new Class[] {GenericRecord.class, Comparable.class});
        } catch (NoSuchMethodException missing) {
            StringBuilder others = new StringBuilder();
            Constructor[] all = type.getConstructors();
            for (int i = 0; i < all.length; i++) {
                Class[] parameters = all[i].getParameterTypes();
                others.append(i == 0 ? "(" : ", (");
                for (int j = 0; j < parameters.length; j++) {
                    others.append(j == 0 ? "" : ", ").append(parameters[j].getSimpleName());
                }
                others.append(")");
            }
            return new String[] {"constructor", others.toString()};
        } catch (LinkageError broken) {
            return new String[] {"broken", broken.toString()};
        }
        return null;
    }
}
