import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { childrenOf, freePort, trySignal } from '../machine.ts';
import type { Programs } from './programs.ts';

const run = promisify(execFile);

/** The settings of all clusters. Tests kill only processes; data that those have written survives without fsync and full pages. */
const commonSettings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 32MB
fsync = off
full_page_writes = off
wal_init_zero = off
`;

/** A PostgreSQL server: a data folder, a port, and a process that can be killed and started again. */
export class Cluster {
  readonly #programs: Programs;
  readonly folder: string;
  #process: ChildProcess | undefined;
  #hasStarted = false;
  port = 0;

  private constructor(programs: Programs) {
    this.#programs = programs;
    this.folder = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
    if (programs.owner) chownSync(this.folder, programs.owner.uid, programs.owner.gid);
  }

  /** Creates an empty cluster and does not start it. */
  static async create(programs: Programs, settings = ''): Promise<Cluster> {
    const cluster = new Cluster(programs);
    mkdirSync(cluster.#data, { mode: 0o700 });
    cluster.#own(cluster.#data);
    const flags = '-U petstore -A trust -E UTF8 --locale=C --no-sync --wal-segsize=1'.split(' ');
    await run(join(programs.folder, 'initdb'), ['-D', cluster.#data, ...flags], {
      ...programs.owner,
      cwd: cluster.folder,
    });
    cluster.set(commonSettings + settings);
    cluster.port = await freePort();
    return cluster;
  }

  /** Creates a cluster with the data of a stopped one in `folder`, and does not start it. */
  static async copy(programs: Programs, folder: string): Promise<Cluster> {
    const copy = new Cluster(programs);
    // Node's copy loses the owner, which matters except on Windows.
    if (process.platform === 'win32') await cp(join(folder, 'data'), copy.#data, { recursive: true });
    else await run('cp', ['-a', join(folder, 'data'), copy.folder]);
    copy.port = await freePort();
    return copy;
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  url(database = 'postgres'): string {
    return `postgres://petstore@127.0.0.1:${this.port}/${database}`;
  }

  /** Adds lines to the settings. A running server applies them at `reload`. */
  set(lines: string): void {
    appendFileSync(join(this.#data, 'postgresql.conf'), `${lines}\n`);
  }

  /** Starts the server, and resolves when it accepts connections. */
  async start(): Promise<this> {
    for (let tries = 0; tries < 100; tries++) {
      const log = await this.#tryToStart();
      if (log === undefined) {
        this.#hasStarted = true;
        return this;
      }
      const isTaken = /could not bind/i.test(log);
      // Processes of the killed server may still be ending.
      if (!isTaken && !/still in use|lock file/i.test(log)) throw new Error(`PostgreSQL did not start:\n${log}`);
      if (isTaken && !this.#hasStarted) this.port = await freePort();
      else await pause(50);
    }
    throw new Error('PostgreSQL did not start in a hundred tries.');
  }

  /** Starts the process. Returns its log if it ends before it accepts connections. */
  async #tryToStart(): Promise<string | undefined> {
    const server = spawn(join(this.#programs.folder, 'postgres'), ['-D', this.#data, '-p', String(this.port)], {
      ...this.#programs.owner,
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = server;
    let log = '';
    return new Promise((resolve) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-4000);
        if (/ready to accept (read-only )?connections/.test(log)) resolve(undefined);
      });
      server.on('close', () => resolve(log));
    });
  }

  /** Runs a statement over a new connection and returns its rows. */
  async ask<Row extends object>(text: string, values: unknown[] = [], database = 'postgres'): Promise<Row[]> {
    const client = new Client({ connectionString: this.url(database), connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  reload(): void {
    this.#process?.kill('SIGHUP');
  }

  /** Kills the server with all of its processes, as a crash of the machine would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Shuts the server down cleanly, without waiting for connected clients. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Pauses or continues all of its processes. */
  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    for (const pid of await this.#pids()) trySignal(pid, signal);
  }

  async remove(): Promise<void> {
    await this.signal('SIGCONT');
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  #own(path: string): void {
    const { owner } = this.#programs;
    if (owner) chownSync(path, owner.uid, owner.gid);
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const server = this.#process;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    const pids = signal === 'SIGKILL' ? await this.#pids() : [server.pid ?? 0];
    for (const pid of pids) trySignal(pid, signal);
    await ended;
  }

  async #pids(): Promise<number[]> {
    const { pid } = this.#process ?? {};
    if (pid === undefined || this.#process?.exitCode !== null || this.#process.signalCode !== null) return [];
    return [pid, ...(await childrenOf(pid))];
  }
}
