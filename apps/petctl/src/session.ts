import type { Context, Environment } from './context.ts';
import { Credentials } from './credentials.ts';
import { HttpConnections } from './http.ts';
import { OutputStream } from './output/output-stream.ts';
import { Reporter } from './output/reporter.ts';
import { type Settings, type Target, targetOf } from './settings.ts';

/** What lives as long as one call of petctl. */
export class Session {
  readonly context: Context;
  /** The variables that are set. An empty one counts as none. */
  readonly env: Environment;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly reporter: Reporter;
  readonly credentials: Credentials;
  readonly connections: HttpConnections;

  constructor(context: Context) {
    this.context = context;
    this.env = Object.fromEntries(Object.entries(context.env).filter(([, value]) => value));
    this.stdout = new OutputStream(context.stdout);
    this.stderr = new OutputStream(context.stderr);
    this.reporter = new Reporter(this.stderr);
    this.reporter.useFormatOf(this.env.PETCTL_OUTPUT);
    this.credentials = new Credentials(this.env);
    this.connections = new HttpConnections(this.env, () => context.knowsProxies);
  }

  /** The service that a command calls. */
  targetOf(settings: Settings): Target {
    return targetOf(settings, () => this.credentials.lastAddress());
  }

  /** Closes connections, and resolves when all output is written. */
  async end(): Promise<void> {
    this.connections.close();
    await this.stdout.flush();
    await this.stderr.flush();
  }
}
