package bridge.jvm;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordMerger;

/** What the driver asks a user's merger before any task starts. */
public final class MergerChecks {
    private MergerChecks() {
    }

    /** Returns the word `strategy` and the id that the merger says, or a word for why it can't be used and a detail. */
    public static String[] asked(String name) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(MergerChecks.class.getClassLoader());
        try {
            return said(name);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static String[] said(String name) throws Exception {
        String[] refused = Checks.refused(name, HoodieRecordMerger.class, new Class[0]);
        if (refused != null) {
            return refused;
        }
        Class type = MergerChecks.class.getClassLoader().loadClass(name);
        try {
            if (Modifier.isAbstract(type.getMethod("merge", merge().getParameterTypes()).getModifiers())) {
                return new String[] {"shape", shapes(type)};
            }
        } catch (NoSuchMethodException missing) {
            return new String[] {"shape", shapes(type)};
        } catch (NoClassDefFoundError missing) {
            String needed = missing.getMessage().replace('/', '.');
            return needed.indexOf("org.apache.hudi.") < 0 ? new String[] {"broken", Failures.reason(missing, name)}
                : new String[] {"shape", "needs " + needed};
        }
        try {
            HoodieRecordMerger merger =
                (HoodieRecordMerger) type.getConstructor(new Class[0]).newInstance(new Object[0]);
            HoodieRecord.HoodieRecordType records = merger.getRecordType();
            if (records != HoodieRecord.HoodieRecordType.AVRO) {
                return new String[] {"records", String.valueOf(records)};
            }
            return new String[] {"strategy", merger.getMergingStrategy()};
        } catch (InvocationTargetException failed) {
            return new String[] {"failing", Failures.reason(failed.getCause(), name)};
        } catch (RuntimeException failed) {
            return new String[] {"failing", Failures.reason(failed, name)};
        } catch (LinkageError broken) {
            return new String[] {"broken", Failures.reason(broken, name)};
        }
    }

    /** Returns the method that merges, as the interface of this release has it. */
    static Method merge() throws NoSuchMethodException {
        Method[] methods = HoodieRecordMerger.class.getMethods();
        for (int i = 0; i < methods.length; i++) {
            Class[] parameters = methods[i].getParameterTypes();
            if (methods[i].getName().equals("merge") && parameters[0].getSimpleName().equals("BufferedRecord")) {
                return methods[i];
            }
        }
        return HoodieRecordMerger.class.getMethod("merge", MergerObject.UNTIL_1_0);
    }

    private static String shapes(Class type) {
        StringBuilder found = new StringBuilder();
        Method[] methods = type.getMethods();
        for (int i = 0; i < methods.length; i++) {
            if (methods[i].getName().equals("merge") && methods[i].getDeclaringClass() != HoodieRecordMerger.class) {
                found.append(found.length() == 0 ? "has " : " and ").append("merge")
                    .append(Checks.parameters(methods[i].getParameterTypes()));
            }
        }
        return found.length() == 0 ? "has none" : found.toString();
    }
}
