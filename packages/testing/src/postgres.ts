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
    /** The URL of the server that all tests of a run share; undefined where there is no PostgreSQL. */
    postgres: string | undefined;
  }
}

/** Starts the server that all tests of a run share, and provides its URL. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const cluster = postgresFolder() === undefined ? undefined : await (await newCluster()).start();
  project.provide('postgres', cluster?.url());
  return cluster?.remove;
}

/** The folder of `initdb` and `postgres`; undefined if this machine has none. */
export function postgresFolder(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...versions.map((each) => join(debian, each, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

/** A PostgreSQL server: a data folder, a port, and a process that can be killed and started again. */
export type Cluster = Awaited<ReturnType<typeof newCluster>>;

/** Tests kill only processes; data that those have written survives without fsync and full pages. */
const fastSettings = 'fsync = off\nfull_page_writes = off\nshared_buffers = 32MB';

/** Makes a server that is not started yet. Call `remove` to remove it. */
export async function newCluster(settings = fastSettings) {
  const programs = postgresFolder() ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const data = join(folder, 'data');
  // PostgreSQL does not run as root.
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout));
  const options = { cwd: folder, ...(isRoot && { uid: uid || 65_534, gid: gid || 65_534 }) };
  if (isRoot) chownSync(folder, uid || 65_534, gid || 65_534);
  const flags = '-U petstore -A trust -E UTF8 --locale=C --no-sync --wal-segsize=1'.split(' ');
  execFileSync(join(programs, 'initdb'), ['-D', data, ...flags], { ...options, stdio: 'pipe' });
  const port = await freePort();
  let server: ChildProcess | undefined;

  const url = (database = 'postgres') => `postgres://petstore@127.0.0.1:${port}/${database}`;
  const set = (lines: string) => appendFileSync(join(data, 'postgresql.conf'), `${lines}\n`);
  set(
    `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200\n${settings}`,
  );

  const pids = () => {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null)
      return [];
    return [server.pid, ...childrenOf(server.pid)];
  };
  const end = async (ended: readonly number[], signal: 'SIGKILL' | 'SIGINT') => {
    if (!server || ended.length === 0) return;
    const exited = once(server, 'exit');
    for (const pid of ended) trySignal(pid, signal);
    await exited;
  };

  /** Starts the process. Returns its log if it ends before it accepts connections. */
  const launch = () => {
    const started = spawn(join(programs, 'postgres'), ['-D', data, '-p', `${port}`], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = started;
    let log = '';
    return new Promise<string | undefined>((resolve) => {
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-4000);
        if (/ready to accept (read-only )?connections/.test(log)) resolve(undefined);
      });
      started.on('close', () => resolve(log));
    });
  };

  const cluster = {
    url,
    /** Adds lines to the settings. A running server applies them at `reload`. */
    set,
    reload: () => server?.kill('SIGHUP'),
    /** Starts the server, and resolves when it accepts connections. */
    start: async () => {
      // Processes of a killed server may still be ending.
      for (let log = await launch(); log !== undefined; log = await launch())
        if (!/still in use|lock file/i.test(log))
          throw new Error(`PostgreSQL did not start:\n${log}`);
      return cluster;
    },
    ask: (text: string, database?: string) => ask(url(database), text),
    /** Kills the server with all of its processes, as a crash of the machine would. */
    kill: () => end(pids(), 'SIGKILL'),
    /** Shuts the server down cleanly, without waiting for connected clients. */
    stop: () => end(pids().slice(0, 1), 'SIGINT'),
    /** Pauses or continues all of its processes. */
    signal: async (signal: 'SIGSTOP' | 'SIGCONT') => {
      for (const pid of pids()) trySignal(pid, signal);
    },
    remove: async () => {
      for (const pid of pids()) trySignal(pid, 'SIGCONT');
      await cluster.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  return cluster;
}

/** Runs a statement over a new connection. */
export async function ask(connectionString: string, text: string): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
