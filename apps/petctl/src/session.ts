import type { EventEmitter } from 'node:events';
import type { InputSource } from './input.ts';
import { OutputStream, type OutputTarget } from './output/output-stream.ts';
import { Reporter } from './output/reporter.ts';
import { Credentials } from './service/credentials.ts';
import { HttpConnections } from './service/http.ts';
import { CommonOptions, type Environment, type Settings } from './settings.ts';

/**
 * What petctl uses of the process that it runs in. `main.ts` passes the real process. Tests pass
 * streams of their own.
 */
export interface Context {
  /** The words of the command line, without the program. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdin: InputSource;
  readonly stdout: OutputTarget;
  readonly stderr: OutputTarget;
  /** Emits `SIGINT` and `SIGTERM`. A signal without a listener ends the process. */
  readonly signals: Pick<EventEmitter, 'once' | 'off'>;
  /** Whether this Node has agents that use proxies. */
  readonly knowsProxies: boolean;
}

/** The objects that live as long as one run of petctl. */
export class Session {
  readonly context: Context;
  /** The variables that are set and not empty. */
  readonly env: Environment;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly options: CommonOptions;
  readonly reporter: Reporter;
  readonly credentials: Credentials;
  readonly connections: HttpConnections;

  constructor(context: Context) {
    this.context = context;
    this.env = Object.fromEntries(Object.entries(context.env).filter(([, value]) => value));
    this.stdout = new OutputStream(context.stdout);
    this.stderr = new OutputStream(context.stderr);
    this.options = new CommonOptions(this.env);
    this.reporter = new Reporter(this.stderr, this.options);
    this.credentials = new Credentials(this.env);
    this.connections = new HttpConnections(this.env, context);
  }

  /** The settings of the command line, once all of it is read. */
  settings(): Settings {
    return this.options.settings(this.credentials);
  }

  /** Closes connections, and resolves when all output is written. */
  async end(): Promise<void> {
    this.connections.close();
    await this.stdout.flush();
    await this.stderr.flush();
  }
}
