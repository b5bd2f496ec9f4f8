import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort, newFolder } from './place.ts';
import { childrenOf, trySignal } from './processes.ts';
import type { Programs } from './programs.ts';

/** What the tests' databases have in common. Only processes are killed here, and what they wrote outlives them unsynced. */
const common = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 100
shared_buffers = 32MB
fsync = off
wal_retrieve_retry_interval = 500ms
`;

/** A database of our own: a folder, a port, and the server process that can be killed and started again. */
export class Cluster {
  readonly #programs: Programs;
  readonly #folder: string;
  #process: ChildProcess | undefined;
  port = 0;

  private constructor(programs: Programs, folder: string) {
    this.#programs = programs;
    this.#folder = folder;
  }

  /** A new, empty one. It is not started yet. */
  static async create(programs: Programs, settings = ''): Promise<Cluster> {
    const cluster = new Cluster(programs, newFolder(programs));
    const flags = ['-D', cluster.#data, '-U', 'petstore', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(programs.folder, 'initdb'), flags, { ...programs.owner, cwd: cluster.#folder, stdio: 'pipe' });
    cluster.set(common + settings);
    cluster.port = await freePort();
    return cluster;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  /** The part of an address that names the place. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  url(database = 'postgres'): string {
    return `postgres://petstore@${this.host}/${database}`;
  }

  /** Adds lines to the settings; a running server has to be told with `reload`. */
  set(lines: string): void {
    appendFileSync(join(this.#data, 'postgresql.conf'), `${lines}\n`);
  }

  /** Puts a copy of a file, for the server alone, into its folder. */
  put(name: string, file: string): void {
    const place = join(this.#data, name);
    copyFileSync(file, place);
    chmodSync(place, 0o600);
    const { owner } = this.#programs;
    if (owner) chownSync(place, owner.uid, owner.gid);
  }

  /** A copy of this one, which must be stopped, that follows it. */
  async standby(name: string): Promise<Cluster> {
    const copy = new Cluster(this.#programs, newFolder(this.#programs));
    cpSync(this.#data, copy.#data, { recursive: true, preserveTimestamps: true });
    writeFileSync(join(copy.#data, 'standby.signal'), '');
    copy.set(`primary_conninfo = 'host=127.0.0.1 port=${this.port} user=petstore application_name=${name}'`);
    const { owner } = this.#programs;
    if (owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, copy.#data]);
    copy.port = await freePort();
    return copy;
  }

  /** Starts the server, and resolves when it answers. */
  async start(): Promise<this> {
    for (let tries = 0; tries < 100; tries++) {
      const server = spawn(join(this.#programs.folder, 'postgres'), ['-D', this.#data, '-p', String(this.port)], {
        ...this.#programs.owner,
        cwd: this.#folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      this.#process = server;
      let log = '';
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-4000);
      });
      while (server.exitCode === null && server.signalCode === null) {
        if (await this.answers()) return this;
        await pause(20);
      }
      // What a killed one left behind still ends, or somebody else was faster to take the port.
      if (!/still in use|lock file|could not bind/i.test(log)) throw new Error(`PostgreSQL did not start:\n${log}`);
      await pause(50);
    }
    throw new Error('PostgreSQL did not start in a hundred tries.');
  }

  async answers(): Promise<boolean> {
    return this.ask('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  /** The rows that a statement answers, over a connection of its own. */
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

  /** Has the standby take over; resolves once it takes writes. */
  async promote(): Promise<void> {
    await this.ask('SELECT pg_promote(true, 60)');
  }

  /** Ends the server and everything that it runs, at once, as a crash of the machine would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it in order, without waiting for those who are connected. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Has all of its processes stand still, or go on. */
  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    for (const pid of await this.#pids()) trySignal(pid, signal);
  }

  async remove(): Promise<void> {
    await this.signal('SIGCONT');
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
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
