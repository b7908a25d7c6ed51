import { inspect } from "util";
import { logger } from "../config";

export enum CallKind {
  Song,
  Alarm,
  Flight,
  Contact,
}

export interface Species {
  code: string;
  commonName: string;
  latinName: string;
  lowHz: number;
  highHz: number;
  nocturnal: boolean;
}

export const SPECIES: Species[] = [
  { code: "NJ", commonName: "Nightjar", latinName: "Caprimulgus europaeus", lowHz: 1400, highHz: 2400, nocturnal: true },
  { code: "TO", commonName: "Tawny Owl", latinName: "Strix aluco", lowHz: 600, highHz: 1300, nocturnal: true },
  { code: "WK", commonName: "Woodcock", latinName: "Scolopax rusticola", lowHz: 3500, highHz: 9000, nocturnal: true },
  { code: "WR", commonName: "Wren", latinName: "Troglodytes troglodytes", lowHz: 3000, highHz: 8000, nocturnal: false },
  { code: "RB", commonName: "Robin", latinName: "Erithacus rubecula", lowHz: 2000, highHz: 8500, nocturnal: false },
];

export function callLabel(kind: CallKind): string {
  switch (kind) {
    case CallKind.Song:
      return "song";
    case CallKind.Alarm:
      return "alarm call";
    case CallKind.Flight:
      return "flight call";
    case CallKind.Contact:
      return "contact call";
  }
}

export function callWeight(kind: CallKind): number {
  switch (kind) {
    case CallKind.Song:
      return 1.0;
    case CallKind.Alarm:
      return 0.8;
    case CallKind.Flight:
      return 0.6;
    default:
      return 0.4;
  }
}

/** Finds a species by its two-letter code. */
export function lookupSpecies(code: string): Species | undefined {
  return SPECIES.find((entry) => entry.code === code.trim().toUpperCase());
}

export function guessSpecies(peakHz: number, night: boolean, debug: boolean): Species | undefined {
  let best: Species | undefined;
  for (const entry of SPECIES) {
    if (peakHz >= entry.lowHz) {
      if (peakHz <= entry.highHz) {
        if (!night || entry.nocturnal) {
          if (best === undefined || bandWidth(entry) < bandWidth(best)) {
            best = entry;
          }
        }
      }
    }
  }
  return best;
}

function bandWidth(entry: Species): number {
  return entry.highHz - entry.lowHz;
}

export function speciesTitle(entry: Species): string {
  return entry.commonName + " (" + entry.latinName + ")";
}

export function parseKind(text: string): CallKind {
  const wanted = text.trim().toLowerCase();
  for (const kind of [CallKind.Song, CallKind.Alarm, CallKind.Flight, CallKind.Contact]) {
    if (callLabel(kind).startsWith(wanted)) {
      return kind;
    }
  }
  logger.warn("unknown call kind " + text);
  return CallKind.Contact;
}

function nocturnalCodes(): string[] {
  return SPECIES.filter((entry) => entry.nocturnal).map((entry) => entry.code);
}
