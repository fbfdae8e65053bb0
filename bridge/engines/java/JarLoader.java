package bridge.jvm;

import bridge.jvm.Constants.Jar;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkFiles;

/**
 * Loads the classes of one list of jars, apart from those of any other list in the same JVM.
 *
 * What the jars hold comes from them, in their order, even where Spark's class path has another copy. Java, Scala,
 * Spark and Avro always come from Spark, because their objects cross the border. Where clock and random numbers are
 * `Varied`, the classes are rewritten as they are loaded, and so are those of a user who names an older bundle that they
 * were `BuiltFor`.
 */
public final class JarLoader extends URLClassLoader {
    private static final String[] SHARED = {
        "java.", "javax.", "jdk.", "sun.", "scala.", "org.apache.spark.", "org.apache.hadoop.", "org.apache.avro.",
        "org.slf4j.", "org.apache.logging.", "org.apache.log4j.", "com.fasterxml.jackson.core.",
        "com.fasterxml.jackson.databind.", "com.fasterxml.jackson.annotation.",
        "bridge.jvm.CallServer", "bridge.jvm.JarLoader", "bridge.jvm.MergePair", "bridge.jvm.MergeTask",
    };
    private static final Map LOADERS = new HashMap();

    /** Null where the classes were compiled for the release whose bundle is among the jars. */
    private final BuiltFor builtFor;

    static {
        ClassLoader.registerAsParallelCapable();
    }

    private JarLoader(URL[] jars, BuiltFor builtFor) {
        super(jars, JarLoader.class.getClassLoader());
        this.builtFor = builtFor;
    }

    /** Returns the loader of files that were sent with SparkContext.addFile; one a list of names and JVM. */
    public static JarLoader ofSentFiles(List names) throws Exception {
        String[] paths = new String[names.size()];
        for (int i = 0; i < paths.length; i++) {
            String name = (String) names.get(i);
            boolean isOlder = name.startsWith(Jar.BUILT_FOR);
            paths[i] = isOlder ? Jar.BUILT_FOR + SparkFiles.get(name.substring(Jar.BUILT_FOR.length()))
                : SparkFiles.get(name);
        }
        return of(paths);
    }

    /**
     * Returns the loader of a list of files, one a list and JVM: our own classes, the bundle, the user's jars.
     *
     * A path after `Jar.BUILT_FOR` is the bundle that the user's classes were compiled for.
     */
    public static JarLoader of(String[] paths) throws Exception {
        List key = Arrays.asList(paths);
        synchronized (LOADERS) {
            JarLoader loader = (JarLoader) LOADERS.get(key);
            if (loader == null) {
                loader = made(paths);
                LOADERS.put(key, loader);
            }
            return loader;
        }
    }

    private static JarLoader made(String[] paths) throws IOException {
        List jars = new ArrayList();
        URL older = null;
        for (int i = 0; i < paths.length; i++) {
            if (paths[i].startsWith(Jar.BUILT_FOR)) {
                older = new File(paths[i].substring(Jar.BUILT_FOR.length())).toURI().toURL();
            } else {
                jars.add(new File(paths[i]).toURI().toURL());
            }
        }
        URL[] all = (URL[]) jars.toArray(new URL[0]);
        BuiltFor builtFor = null;
        if (older != null) {
            URL[] users = (URL[]) jars.subList(2, jars.size()).toArray(new URL[0]);
            builtFor = new BuiltFor(all[1], users, older, JarLoader.class.getClassLoader());
        }
        return new JarLoader(all, builtFor);
    }

    /** Returns what `BuiltFor` says of a class; nothing where the classes are those of the bundle's release. */
    public String[][] changes(String name) throws IOException {
        return builtFor == null ? new String[0][] : builtFor.changes(name);
    }

    /** Whether the user's classes are linked to a later release than they were compiled for. */
    public boolean isBuiltFor() {
        return builtFor != null;
    }

    /** Whether a class always comes from Spark. */
    static boolean isShared(String name) {
        for (int i = 0; i < SHARED.length; i++) {
            if (name.startsWith(SHARED[i])) {
                return true;
            }
        }
        return false;
    }

    protected Class loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (isShared(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class found = findLoadedClass(name);
            if (found == null) {
                try {
                    found = findClass(name);
                } catch (ClassNotFoundException notInTheJars) {
                    found = super.loadClass(name, false);
                }
            }
            if (resolve) {
                resolveClass(found);
            }
            return found;
        }
    }

    protected Class findClass(String name) throws ClassNotFoundException {
        boolean isVaried = Varied.isOn() && !name.startsWith("bridge.jvm.");
        try {
            byte[] changed = builtFor == null ? null : builtFor.classFile(name);
            if (changed == null && !isVaried) {
                return super.findClass(name);
            }
            if (changed == null) {
                URL file = findResource(name.replace('.', '/') + ".class");
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                changed = ClassFiles.bytes(file);
            }
            byte[] rewritten = isVaried ? Redirects.rewritten(changed) : changed;
            return defineClass(name, rewritten, 0, rewritten.length);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    public URL getResource(String name) {
        URL own = findResource(name);
        return own == null ? super.getResource(name) : own;
    }
}
