package com.acme.rates;

import java.util.HashMap;
import java.util.Map;

/** The library of ConvertsCurrency. */
public final class Rates {
  private static final Map<String, Double> RATES = new HashMap<>();

  static {
    RATES.put("EUR", 1.0);
    RATES.put("USD", 0.5);
    RATES.put("GBP", 1.25);
  }

  private Rates() {
  }

  public static Double euros(double amount, String currency) {
    Double rate = RATES.get(currency);
    return rate == null ? null : amount * rate;
  }
}
