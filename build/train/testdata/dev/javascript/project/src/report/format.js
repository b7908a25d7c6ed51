import { qualityLabel, unitOf, SensorKind } from '../core/reading.js';

const COLUMN_WIDTH = 12;
const compassPoints = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

export function pad(text, width) {
  return String(text).padEnd(width);
}

export function compass(degrees) {
  const index = Math.round(degrees / 45) % 8;
  return compassPoints[index];
}

export function formatTime(ms, zone) {
  const date = new Date(ms);
  return date.toLocaleString('sv-SE', { timeZone: zone });
}

export function formatValue(value, kind, digits) {
  if (value === null || Number.isNaN(value)) {
    return '-';
  }
  return value.toFixed(digits) + ' ' + unitOf(kind);
}

export function renderRow(reading) {
  let row = '';
  row += pad(formatTime(reading.time, 'UTC'), 20);
  row += pad(formatValue(reading.temperature, SensorKind.TEMPERATURE, 1), COLUMN_WIDTH);
  row += pad(formatValue(reading.humidity, SensorKind.HUMIDITY, 0), COLUMN_WIDTH);
  row += pad(formatValue(reading.pressure, SensorKind.PRESSURE, 1), COLUMN_WIDTH);
  row += pad(formatValue(reading.windSpeed, SensorKind.WIND, 1), COLUMN_WIDTH);
  row += compass(reading.windDir);
  if (reading.quality !== 0) {
    row += ' (' + qualityLabel(reading.quality, 'en') + ')';
  }
  return row;
}

export function renderTable(readings) {
  const titles = ['time', 'temp', 'humidity', 'pressure', 'wind'];
  const lines = [];
  lines.push(titles.map((t, i) => pad(t, i === 0 ? 20 : COLUMN_WIDTH)).join(''));
  lines.push('-'.repeat(76));
  for (const reading of readings) {
    lines.push(renderRow(reading));
  }
  lines.push('-'.repeat(76));
  return lines.join('\n');
}

export function renderSummary(name, summary) {
  console.log('summary keys', Object.keys(summary));
  let text = 'Station ' + name + ', ' + summary.count + ' readings\n';
  text += '  temperature ' + summary.low.toFixed(1) + ' .. ' + summary.high.toFixed(1) + ' C';
  text += ', mean ' + summary.mean.toFixed(1) + ' C\n';
  text += '  humidity ' + summary.humidity.toFixed(0) + ' %\n';
  text += '  dew point ' + summary.dew.toFixed(1) + ' C\n';
  text += '  rain ' + summary.rain.toFixed(1) + ' mm\n';
  text += '  gust ' + summary.gust.toFixed(1) + ' m/s from ' + compass(summary.direction) + '\n';
  return text;
}

export function renderJson(summary) {
  return JSON.stringify(summary, null, 2);
}

function renderHtml(name, summary) {
  const rows = Object.entries(summary).map(([k, v]) => '<tr><td>' + k + '</td><td>' + v + '</td></tr>');
  return '<h1>' + name + '</h1><table>' + rows.join('') + '</table>';
}
