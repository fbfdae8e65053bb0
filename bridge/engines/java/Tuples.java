package bridge.jvm;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.function.Function;

/** Lists of ordering values: Hudi's ArrayComparable, which there is from 1.1 on. */
final class Tuples {
    private static final Class TYPE;
    private static final Function MAKE;
    private static final Function ELEMENTS;

    static {
        Class type = type();
        TYPE = type;
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MAKE = type == null ? null
                : function(lookup, lookup.unreflectConstructor(type.getConstructor(new Class[] {Comparable[].class})));
            ELEMENTS = type == null ? null
                : function(lookup, lookup.unreflect(type.getMethod("getValues", new Class[0])));
        } catch (Throwable unknownHudi) {
            throw new ExceptionInInitializerError(unknownHudi);
        }
    }

    private Tuples() {
    }

    private static Class type() {
        try {
            return Tuples.class.getClassLoader().loadClass("org.apache.hudi.common.util.collection.ArrayComparable");
        } catch (ClassNotFoundException older) {
            return null;
        }
    }

    /** Makes a function of a handle, so that a call costs no reflection. */
    static Function function(MethodHandles.Lookup lookup, MethodHandle handle) throws Throwable {
        MethodType erased = MethodType.methodType(Object.class, Object.class);
        return (Function) LambdaMetafactory
            .metafactory(lookup, "apply", MethodType.methodType(Function.class), erased, handle, handle.type())
            .getTarget().invokeWithArguments(new Object[0]);
    }

    static Comparable of(Comparable[] values) {
        return (Comparable) MAKE.apply(values);
    }

    /** Returns the elements, or null where the value is not a list. */
    static List elements(Object value) {
        return TYPE != null && TYPE.isInstance(value) ? (List) ELEMENTS.apply(value) : null;
    }

    /** Whether both have one class; lists are looked at up to the first unlike pair, or where the second one ends. */
    static boolean isSameClass(Comparable left, Comparable right) {
        if (left.getClass() != right.getClass()) {
            return false;
        }
        List lefts = elements(left);
        if (lefts == null) {
            return true;
        }
        List rights = elements(right);
        for (int i = 0; i < lefts.size(); i++) {
            if (!isSameClass((Comparable) lefts.get(i), (Comparable) rights.get(i))) {
                return false;
            }
        }
        return true;
    }
}
