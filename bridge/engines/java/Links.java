package bridge.jvm;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is behind an error of linking: a class that is in no jar, another version of one, a static initialiser. */
final class Links {
    private static final String STATIC = "Could not initialize class ";
    private static final Pattern CLASS = Pattern.compile("[\\w$]+(?:[./][\\w$]+)+");
    private static final Pattern OWNER = Pattern.compile("([\\w$.]+)\\.[\\w$<>]+(?:\\(|'|$)");
    private static final String OTHER_HUDI = "the class was compiled for another Hudi: say for which release with "
        + "--built-for, and it runs as if recompiled, or compile it for this one";
    private static final String NOTHING_INSTEAD = "this release of Hudi has no replacement for what the "
        + "class calls; change its source";

    private Links() {
    }

    /** Returns a sentence about the error of linking in a chain of causes; null where there is none. */
    static String explained(Throwable error, String wanting) {
        Throwable found = null;
        for (Throwable one = error; one != null && one != found; one = one.getCause()) {
            if (one instanceof LinkageError || one instanceof ClassNotFoundException) {
                found = one;
                if (!(one instanceof ExceptionInInitializerError)) {
                    break;
                }
            }
            if (one.getCause() == one) {
                break;
            }
        }
        if (found instanceof ExceptionInInitializerError) {
            return "the static initialiser of " + initialised(found, wanting)
                + " fails; fix it, or what it reads: a resource, a setting, a file";
        }
        String message = found == null ? null : found.getMessage();
        if (message == null) {
            return null;
        }
        if (found instanceof NoClassDefFoundError || found instanceof ClassNotFoundException) {
            if (message.startsWith(STATIC)) {
                return "the static initialiser of " + message.substring(STATIC.length())
                    + " has failed before; fix it, or what it reads: a resource, a setting, a file";
            }
            Matcher name = CLASS.matcher(message);
            return missing(name.find() ? name.group().replace('/', '.') : message, caller(found, wanting));
        }
        if (found instanceof UnsupportedClassVersionError) {
            return "the class was compiled for a newer Java; compile it for that of Spark, "
                + System.getProperty("java.version");
        }
        if (!(found instanceof IncompatibleClassChangeError) && !(found instanceof VerifyError)) {
            return null;
        }
        if (message.indexOf("org.apache.hudi.") < 0 && message.indexOf("org/apache/hudi/") < 0) {
            return otherVersion(found, message);
        }
        ClassLoader own = Links.class.getClassLoader();
        return own instanceof JarLoader && ((JarLoader) own).isBuiltFor() ? NOTHING_INSTEAD : OTHER_HUDI;
    }

    private static String missing(String name, String wanting) {
        String needs = name.equals(wanting) ? "" : ", which " + wanting + " needs,";
        String hudi = name.startsWith("org.apache.hudi.")
            ? ", or name the bundle of the Hudi that has it, for which the class was compiled" : "";
        return name + needs + " is in none of the jars " + JarLoader.jarsOf(Links.class.getClassLoader())
            + "; add its jar with another --jar" + hudi;
    }

    private static String otherVersion(Throwable found, String message) {
        Matcher owner = OWNER.matcher(message);
        String name = found instanceof NoSuchMethodError && owner.find() ? owner.group(1) : null;
        return "the class was compiled with another version of " + (name == null ? "a library" : name)
            + " than the one that is loaded; compile it with that one, or put yours into its jar under another name";
    }

    /** Returns the class whose code asked for another: that of the innermost call outside of Java itself. */
    private static String caller(Throwable error, String wanting) {
        StackTraceElement[] stack = error.getStackTrace();
        for (int i = 0; i < stack.length; i++) {
            String name = stack[i].getClassName();
            if (!name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun.")) {
                return name.startsWith("bridge.jvm.") ? wanting : name;
            }
        }
        return wanting;
    }

    private static String initialised(Throwable error, String wanting) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        StackTraceElement[] stack = cause.getStackTrace();
        for (int i = 0; i < stack.length; i++) {
            if (stack[i].getMethodName().equals("<clinit>")) {
                return stack[i].getClassName();
            }
        }
        return wanting;
    }
}
