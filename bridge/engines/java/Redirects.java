package bridge.jvm;

import java.util.HashMap;
import java.util.Map;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.Handle;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;

/**
 * Rewrites classes so that none ends Java, and that they see the clock and the random numbers of `Varied` in place of
 * Java's own, where these are on: a JVM takes its time zone and its locale from options, but neither of these.
 */
final class Redirects {
    private static final String VARIED = "bridge/jvm/Varied";
    private static final String EXITS = "bridge/jvm/Exits";
    private static final byte[][] ENDS = {{'e', 'x', 'i', 't'}, {'h', 'a', 'l', 't'}};
    /** Static methods, by owner, name and descriptor; the values are names in Varied. */
    private static final Map STATIC = new HashMap();
    /** Classes that look at the clock or seed themselves in a constructor without arguments: what they take instead. */
    private static final Map CONSTRUCTED = new HashMap();

    static {
        method("java/lang/System", "currentTimeMillis", "()J", "currentTimeMillis");
        method("java/lang/System", "nanoTime", "()J", "nanoTime");
        method("java/lang/Math", "random", "()D", "random");
        method("java/lang/StrictMath", "random", "()D", "random");
        method("java/util/UUID", "randomUUID", "()Ljava/util/UUID;", "randomUUID");
        method("java/time/Instant", "now", "()Ljava/time/Instant;", "instant");
        method("java/time/Clock", "systemUTC", "()Ljava/time/Clock;", "systemUTC");
        method("java/time/Clock", "systemDefaultZone", "()Ljava/time/Clock;", "systemDefaultZone");
        method("java/time/Clock", "system", "(Ljava/time/ZoneId;)Ljava/time/Clock;", "system");
        String[] times = {"LocalDate", "LocalTime", "LocalDateTime", "ZonedDateTime", "OffsetDateTime", "OffsetTime",
            "Year", "YearMonth", "MonthDay"};
        for (int i = 0; i < times.length; i++) {
            String owner = "java/time/" + times[i];
            String name = times[i].substring(0, 1).toLowerCase(java.util.Locale.ROOT) + times[i].substring(1);
            method(owner, "now", "()L" + owner + ";", name);
            method(owner, "now", "(Ljava/time/ZoneId;)L" + owner + ";", name);
        }
        String[] parameters = {"", "Ljava/util/TimeZone;", "Ljava/util/Locale;",
            "Ljava/util/TimeZone;Ljava/util/Locale;"};
        for (int i = 0; i < parameters.length; i++) {
            method("java/util/Calendar", "getInstance", "(" + parameters[i] + ")Ljava/util/Calendar;", "calendar");
        }
        CONSTRUCTED.put("java/util/Date", "currentTimeMillis");
        CONSTRUCTED.put("java/util/Random", "seed");
    }

    private Redirects() {
    }

    private static void method(String owner, String name, String descriptor, String varied) {
        STATIC.put(owner + "." + name + descriptor, varied);
    }

    /** Returns the rewritten class; one that can't be read, or has nothing to rewrite, as it is. */
    static byte[] rewritten(byte[] original) {
        if (!Varied.isOn() && !has(original, ENDS[0]) && !has(original, ENDS[1])) {
            return original;
        }
        try {
            ClassReader reader = new ClassReader(original);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new Rewriter(writer), 0);
            return writer.toByteArray();
        } catch (RuntimeException unknownFormat) {
            return original;
        }
    }

    private static boolean has(byte[] text, byte[] word) {
        for (int i = 0; i <= text.length - word.length; i++) {
            if (text[i] == word[0] && text[i + 1] == word[1] && text[i + 2] == word[2] && text[i + 3] == word[3]) {
                return true;
            }
        }
        return false;
    }

    /** Returns the method that ends Java, as one of Exits; null for any other. */
    private static Handle exit(String owner, String name, String descriptor) {
        if (!descriptor.equals("(I)V")) {
            return null;
        }
        boolean exits = name.equals("exit");
        if (owner.equals("java/lang/System") && exits) {
            return new Handle(Opcodes.H_INVOKESTATIC, EXITS, name, descriptor, false);
        }
        return owner.equals("java/lang/Runtime") && (exits || name.equals("halt"))
            ? new Handle(Opcodes.H_INVOKESTATIC, EXITS, name, "(Ljava/lang/Runtime;I)V", false) : null;
    }

    private static final class Rewriter extends ClassVisitor {
        Rewriter(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
            return new Calls(super.visitMethod(access, name, descriptor, signature, thrown));
        }
    }

    private static final class Calls extends MethodVisitor {
        Calls(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            Handle exit = exit(owner, name, descriptor);
            if (exit != null) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, EXITS, exit.getName(), exit.getDesc(), false);
                return;
            }
            String varied = Varied.isOn() ? (String) STATIC.get(owner + "." + name + descriptor) : null;
            if (opcode == Opcodes.INVOKESTATIC && varied != null) {
                super.visitMethodInsn(opcode, VARIED, varied, descriptor, false);
                return;
            }
            varied = Varied.isOn() ? (String) CONSTRUCTED.get(owner) : null;
            if (opcode == Opcodes.INVOKESPECIAL && varied != null && name.equals("<init>") && descriptor.equals("()V")) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, VARIED, varied, "()J", false);
                super.visitMethodInsn(opcode, owner, name, "(J)V", false);
                return;
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }

        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object[] arguments) {
            Object[] redirected = (Object[]) arguments.clone();
            for (int i = 0; i < redirected.length; i++) {
                if (redirected[i] instanceof Handle) {
                    redirected[i] = redirected((Handle) redirected[i]);
                }
            }
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, redirected);
        }

        private static Handle redirected(Handle handle) {
            Handle exit = exit(handle.getOwner(), handle.getName(), handle.getDesc());
            if (exit != null) {
                return exit;
            }
            String varied = !Varied.isOn() ? null : (String) STATIC.get(handle.getOwner() + "." + handle.getName() + handle.getDesc());
            if (handle.getTag() != Opcodes.H_INVOKESTATIC || varied == null) {
                return handle;
            }
            return new Handle(Opcodes.H_INVOKESTATIC, VARIED, varied, handle.getDesc(), false);
        }
    }
}
