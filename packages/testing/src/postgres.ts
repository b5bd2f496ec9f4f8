// PostgreSQL servers for tests, of the programs that this machine has.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { childrenOf, freePort, trySignal } from './index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server that all tests share; undefined where there is no PostgreSQL. */
    postgres: string | undefined;
  }
}

/** Starts the server that all tests of a run share, and provides its URL. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (postgresFolder() === undefined) {
    project.provide('postgres', undefined);
    return undefined;
  }
  const cluster = await newCluster();
  await cluster.start();
  project.provide('postgres', cluster.url());
  return () => cluster.remove();
}

/** The folder of `initdb` and `postgres`; undefined if this machine has none. */
export function postgresFolder(): string | undefined {
  const folders = [...debianFolders(), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

/** Debian keeps the programs of each version in a folder outside of PATH. The newest is first. */
function debianFolders(): string[] {
  const parent = '/usr/lib/postgresql';
  if (!existsSync(parent)) return [];
  const versions = readdirSync(parent).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(parent, version, 'bin'));
}

/** Tests kill only processes: what these have written survives without fsync and full pages. */
const fastSettings = 'fsync = off\nfull_page_writes = off\nshared_buffers = 32MB';
const localSettings =
  "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200";
const initFlags = '-U petstore -A trust -E UTF8 --locale=C --no-sync --wal-segsize=1'.split(' ');

/** Makes a server that is not started yet. Call `remove` to remove it. */
export async function newCluster(settings = fastSettings): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const user = userOfPostgres();
  if (user) chownSync(folder, user.uid, user.gid);
  const cluster = new Cluster(folder, await freePort(), user ?? {});
  cluster.init();
  cluster.set(`${localSettings}\n${settings}`);
  return cluster;
}

/** The user `nobody`, where there is no user `postgres`. */
const NOBODY = 65_534;

/** The user that PostgreSQL runs as where the tests run as root, which it refuses. */
function userOfPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout) || NOBODY;
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A PostgreSQL server: a data folder, a port, and a process that can be killed and restarted. */
export class Cluster {
  readonly #folder: string;
  readonly #port: number;
  readonly #user: { uid?: number; gid?: number };
  #process: ChildProcess | undefined;

  constructor(folder: string, port: number, user: { uid?: number; gid?: number }) {
    this.#folder = folder;
    this.#port = port;
    this.#user = user;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  init(): void {
    const options = { cwd: this.#folder, stdio: 'pipe', ...this.#user } as const;
    execFileSync(programOf('initdb'), ['-D', this.#data, ...initFlags], options);
  }

  url(database = 'postgres'): string {
    return `postgres://petstore@127.0.0.1:${this.#port}/${database}`;
  }

  /** Adds lines to the settings. A running server applies them at `reload`. */
  set(lines: string): void {
    appendFileSync(join(this.#data, 'postgresql.conf'), `${lines}\n`);
  }

  reload(): void {
    this.#process?.kill('SIGHUP');
  }

  /** Starts the server, and resolves with the cluster when it accepts connections. */
  async start(): Promise<this> {
    for (;;) {
      const failure = await this.#launch();
      if (failure === undefined) return this;
      // Processes of a killed server may still be ending.
      if (!/still in use|lock file/i.test(failure))
        throw new Error(`PostgreSQL did not start:\n${failure}`);
    }
  }

  /** Runs a statement over a new connection. */
  ask(text: string, database?: string): Promise<void> {
    return ask(this.url(database), text);
  }

  /** Kills the server with all of its processes, as a crash of the machine would. */
  kill(): Promise<void> {
    return this.#end(this.#pids(), 'SIGKILL');
  }

  /** Shuts the server down cleanly, without waiting for connected clients. */
  stop(): Promise<void> {
    return this.#end(this.#pids().slice(0, 1), 'SIGINT');
  }

  /** Pauses or continues all of its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of this.#pids()) trySignal(pid, signal);
  }

  async remove(): Promise<void> {
    this.signal('SIGCONT');
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** Starts the process. Returns its log if it ends before it accepts connections. */
  #launch(): Promise<string | undefined> {
    const started = spawn(programOf('postgres'), ['-D', this.#data, '-p', `${this.#port}`], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...this.#user,
    });
    this.#process = started;
    let log = '';
    return new Promise((resolve) => {
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-4000);
        // … connections, or … read-only connections.
        if (log.includes('ready to accept ')) resolve(undefined);
      });
      started.on('close', () => resolve(log));
    });
  }

  /** The running processes, the main one first. */
  #pids(): number[] {
    const { pid, exitCode, signalCode } = this.#process ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return [];
    return [pid, ...childrenOf(pid)];
  }

  async #end(pids: readonly number[], signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    if (!this.#process || pids.length === 0) return;
    const exited = once(this.#process, 'exit');
    for (const pid of pids) trySignal(pid, signal);
    await exited;
  }
}

function programOf(name: string): string {
  return join(postgresFolder() ?? '', name);
}

/** Runs a statement over a new connection. */
export async function ask(connectionString: string, text: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
