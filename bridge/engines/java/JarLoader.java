package bridge.jvm;

import bridge.jvm.Constants.Jar;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Manifest;
import org.apache.spark.SparkFiles;

/**
 * Loads the classes of one list of jars, apart from those of any other list in the same JVM.
 *
 * What the jars hold comes from them, in their order, even where Spark's class path has another copy. Java, Scala,
 * Spark and Avro always come from Spark, because their objects cross the border. The classes are rewritten as they are
 * loaded, see `Redirects`, and so are those of a user who names an older bundle that they were `BuiltFor`.
 */
public final class JarLoader extends URLClassLoader {
    private static final String[] SHARED = {
        "java.", "javax.", "jdk.", "sun.", "scala.", "org.apache.spark.", "org.apache.hadoop.", "org.apache.avro.",
        "org.slf4j.", "org.apache.logging.", "org.apache.log4j.", "com.fasterxml.jackson.core.",
        "com.fasterxml.jackson.databind.", "com.fasterxml.jackson.annotation.",
        "bridge.jvm.CallServer", "bridge.jvm.JarLoader", "bridge.jvm.MergePair", "bridge.jvm.MergeTask",
        "bridge.jvm.Printed",
    };
    /** The end of the name of a jar that was copied under one of its content. */
    private static final String COPY = "-[0-9a-f]{12}\\.jar$";
    private static final Map LOADERS = new HashMap();

    /** Null where the classes were compiled for the release whose bundle is among the jars. */
    private final BuiltFor builtFor;

    static {
        ClassLoader.registerAsParallelCapable();
        Printed.install();
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
            paths[i] = isOlder(name) ? Jar.BUILT_FOR + SparkFiles.get(withoutMark(name)) : SparkFiles.get(name);
        }
        return of(paths);
    }

    private static boolean isOlder(String name) {
        return name.startsWith(Jar.BUILT_FOR);
    }

    private static String withoutMark(String name) {
        return name.substring(Jar.BUILT_FOR.length());
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
            if (isOlder(paths[i])) {
                older = new File(withoutMark(paths[i])).toURI().toURL();
            } else {
                jars.add(new File(paths[i]).toURI().toURL());
            }
        }
        URL[] all = (URL[]) jars.toArray(new URL[0]);
        if (older == null) {
            return new JarLoader(all, null);
        }
        URL[] users = (URL[]) jars.subList(2, jars.size()).toArray(new URL[0]);
        return new JarLoader(all, new BuiltFor(all[1], users, older, JarLoader.class.getClassLoader()));
    }

    /** Returns what `BuiltFor` says of a class; nothing where the classes are those of the bundle's release. */
    public String[][] changes(String name) throws IOException {
        return builtFor == null ? new String[0][] : builtFor.changes(name);
    }

    /** Whether the user's classes are linked to a later release than they were compiled for. */
    public boolean isBuiltFor() {
        return builtFor != null;
    }

    /** Returns the names of the jars that a class loader has beside ours, as their users call them. */
    public static String jarsOf(ClassLoader loader) {
        StringBuilder names = new StringBuilder();
        URL[] jars = ((URLClassLoader) loader).getURLs();
        for (int i = 1; i < jars.length; i++) {
            String path = jars[i].getPath();
            names.append(i == 1 ? "" : ", ").append(path.substring(path.lastIndexOf('/') + 1).replaceFirst(COPY, ".jar"));
        }
        return names.toString();
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
        if (name.startsWith("bridge.jvm.")) {
            return super.findClass(name);
        }
        URL file = builtFor == null ? null : builtFor.file(name);
        file = file == null ? findResource(name.replace('.', '/') + ".class") : file;
        if (file == null) {
            throw new ClassNotFoundException(name);
        }
        try {
            JarURLConnection entry = (JarURLConnection) file.openConnection();
            byte[] original = bytes(entry.getInputStream());
            byte[] rewritten = Redirects.rewritten(builtFor == null ? original : builtFor.linked(name, original));
            int end = name.lastIndexOf('.');
            if (end >= 0 && getPackage(name.substring(0, end)) == null) {
                try {
                    Manifest manifest = entry.getManifest();
                    definePackage(name.substring(0, end), manifest == null ? new Manifest() : manifest,
                        entry.getJarFileURL());
                } catch (IllegalArgumentException byAnotherThread) {
                    return defined(name, rewritten, entry);
                }
            }
            return defined(name, rewritten, entry);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    private Class defined(String name, byte[] file, JarURLConnection entry) throws IOException {
        return defineClass(name, file, 0, file.length, new CodeSource(entry.getJarFileURL(), entry.getCertificates()));
    }

    static byte[] bytes(InputStream stream) throws IOException {
        try {
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int size = stream.read(part); size >= 0; size = stream.read(part)) {
                file.write(part, 0, size);
            }
            return file.toByteArray();
        } finally {
            stream.close();
        }
    }

    public URL getResource(String name) {
        URL own = findResource(name);
        return own == null ? super.getResource(name) : own;
    }
}
