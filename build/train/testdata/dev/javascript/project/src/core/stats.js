export const MAGNUS_A = 17.62;
export const MAGNUS_B = 243.12;
const DEGREES = 180 / Math.PI;

export function mean(values) {
  if (values.length === 0) {
    return NaN;
  }
  let total = 0;
  for (const v of values) {
    total += v;
  }
  return total / values.length;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const mid = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) {
    return sorted[mid];
  }
  return (sorted[mid - 1] + sorted[mid]) / 2;
}

/** Standard deviation of a population. */
export function stddev(values) {
  const m = mean(values);
  const squares = values.map((v) => (v - m) * (v - m));
  return Math.sqrt(mean(squares));
}

export function rollingMean(values, window) {
  const out = [];
  for (let i = 0; i + window <= values.length; i++) {
    const slice = values.slice(i, i + window);
    out.push(mean(slice));
  }
  return out;
}

export function dewPoint(temperature, humidity) {
  const gamma = Math.log(humidity / 100) + (MAGNUS_A * temperature) / (MAGNUS_B + temperature);
  return (MAGNUS_B * gamma) / (MAGNUS_A - gamma);
}

export function windChill(temperature, speed) {
  if (temperature > 10) {
    return temperature;
  }
  const v = Math.pow(speed * 3.6, 0.16);
  return 13.12 + 0.6215 * temperature - 11.37 * v + 0.3965 * temperature * v;
}

export function meanWindDirection(readings, weighted) {
  let x = 0;
  let y = 0;
  for (const r of readings) {
    x += Math.cos(r.windDir / DEGREES) * r.windSpeed;
    y += Math.sin(r.windDir / DEGREES) * r.windSpeed;
  }
  const angle = Math.atan2(y, x) * DEGREES;
  return (angle + 360) % 360;
}

export function seaLevelPressure(pressure, altitude, temperature) {
  const h = 0.0065 * altitude;
  return pressure * Math.pow(1 - h / (temperature + h + 273.15), -5.257);
}

function range(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return { low, high };
}

export function summarize(readings) {
  const temps = readings.map((r) => r.temperature);
  const hums = readings.map((r) => r.humidity);
  const { low, high } = range(temps);
  let rain = 0;
  for (const r of readings) {
    rain += r.rain;
  }
  let gust = 0;
  for (const r of readings) {
    if (r.windSpeed > gust) {
      gust = r.windSpeed;
    }
  }
  const meanTemp = mean(temps);
  const meanHum = mean(hums);
  const dew = dewPoint(meanTemp, meanHum);
  return {
    count: readings.length,
    low,
    high,
    mean: meanTemp,
    humidity: meanHum,
    dew,
    rain,
    gust,
    direction: meanWindDirection(readings, true),
  };
}

function heatIndex(temperature, humidity) {
  return temperature + 0.33 * humidity * 0.0613 - 4;
}
