import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

export const refreshSeconds = 30;

export interface Flag {
  name: string;
  value: string;
}

export function describe(flag: Flag): string {
  return `${flag.name} is ${flag.value}`;
}

export async function page(path: string): Promise<string> {
  const flags: Flag[] = JSON.parse(await readFile(path, "utf8"));
  return flags.map(describe).join("\n");
}

export function serve(path: string, port: number): void {
  createServer(async (_request, response) => {
    response.setHeader("Refresh", String(refreshSeconds));
    response.end(await page(path));
  }).listen(port);
}
