import * as fs from "fs";
import * as http from "http";
import { logger } from "../config";

export const MAX_ATTEMPTS = 5;
export const BASE_DELAY_MS = 250;
const UPLOAD_PORT = 8080;

export interface Transport {
  send(name: string, body: Buffer): Promise<number>;
  close(): void;
}

export interface ProgressListener {
  started(name: string): void;
  finished(name: string, attempts: number): void;
  failed(name: string, reason: string): void;
}

export class HttpTransport implements Transport {
  private agent = new http.Agent({ keepAlive: true });

  constructor(private readonly host: string, private readonly token: string) {}

  send(name: string, body: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          host: this.host,
          port: UPLOAD_PORT,
          method: "PUT",
          path: "/clips/" + encodeURIComponent(name),
          agent: this.agent,
          headers: { authorization: "Bearer " + this.token },
        },
        (response) => resolve(response.statusCode ?? 0),
      );
      request.on("error", reject);
      request.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function backoff(attempt: number, base: number, jitter: boolean): number {
  const delay = base * 2 ** attempt;
  return jitter ? delay * (0.5 + Math.random() / 2) : delay;
}

export class UploadQueue {
  private pending: string[] = [];
  private sent = 0;
  private failures: string[] = [];

  constructor(private readonly transport: Transport) {}

  add(file: string): void {
    if (!this.pending.includes(file)) {
      this.pending.push(file);
    }
  }

  async drain(): Promise<number> {
    while (this.pending.length > 0) {
      const file = this.pending[0];
      const ok = await this.sendWithRetry(file);
      if (ok) {
        this.sent++;
      } else {
        this.failures.push(file);
      }
      this.pending.shift();
      console.log("queue", this.pending.length, this.sent);
    }
    return this.sent;
  }

  private async sendWithRetry(file: string): Promise<boolean> {
    const body = fs.readFileSync(file);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        const status = await this.transport.send(file, body);
        if (status >= 200 && status < 300) {
          return true;
        }
        logger.warn("upload of " + file + " answered " + status);
      } catch (err) {
      }
      await sleep(backoff(attempt, BASE_DELAY_MS, true));
    }
    return false;
  }

  summary(): string {
    return this.sent + " sent, " + this.failures.length + " failed, " + this.pending.length + " waiting";
  }

  close(): void {
    this.pending = [];
    this.transport.close();
  }

  private oldest(): string | undefined {
    return this.pending[0];
  }
}

export function isRetryable(status: number): boolean {
  return status === 429 || status >= 500;
}
