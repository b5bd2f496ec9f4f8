/**
 * A failover that nobody triggers: three nodes under Patroni and etcd, synchronous, the leader killed under load.
 * `node tools/bench/postgres/patroni.ts`, as root on Debian with `patroni`, `etcd-server`, `python3-etcd` and `postgresql` installed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresStore } from '@petstore/server';
import { Load } from '@petstore/testing/load';
import { childrenOf, freePort } from '@petstore/testing/machine';
import { findPrograms } from '@petstore/testing/postgres/programs';
import { startServer } from '@petstore/testing/server';
import { root } from '../../repository.ts';
import { collection, type Document } from '../workload.ts';

interface Node {
  name: string;
  port: number;
  api: number;
  child: ChildProcess;
}

const folder = mkdtempSync(join(tmpdir(), 'petstore-patroni-'));
chmodSync(folder, 0o755);
const programs = findPrograms(folder);
const owner = programs?.owner;
if (!programs || !owner) throw new Error('This needs an installed PostgreSQL, and root.');
const started: ChildProcess[] = [];
const nodes: Node[] = [];

try {
  startNodes(await startEtcd(), await Promise.all([ports(), ports(), ports()]));
  await failover();
} finally {
  for (const node of nodes) await killNode(node);
  for (const { pid } of started) await killAll(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

async function failover() {
  const first = await leader(nodes);
  await until('a synchronous standby', () => answers(nodes, '/sync'));
  const url = `postgres://petstore:petstore@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`;
  const main = join(root, 'apps/server/src/main.js');
  const start = () => startServer(main, { DATABASE_URL: url });
  const servers = [await start(), await start()];
  started.push(...servers.map(({ child }) => child));
  const load = new Load(() => servers.map(({ baseUrl }) => baseUrl), 64);
  await load.more(5000);
  await killNode(first);
  const killed = performance.now();
  await load.more(5000);
  await load.stop();
  // The addresses lead to whichever node takes writes now.
  const store = await openPostgresStore(url);
  const query = { after: 0, limit: 1_000_000, maxBytes: Number.MAX_SAFE_INTEGER };
  const { json } = await store.collection(collection).list(query);
  await store.close();
  const documents: Document[] = JSON.parse(json.text);
  const stored = new Set(documents.map(({ id, name }) => `${id} ${name}`));
  const lost = [...load.known].filter(([id, name]) => !stored.has(`${id} ${name}`));
  const back = load.acknowledged.find(({ sent }) => sent > killed)?.answered ?? Number.NaN;
  console.log(`${lost.length} of ${load.known.size} acknowledged lost, ${load.unavailable} responses with 503`);
  console.log(`first 201 after ${((back - killed) / 1000).toFixed(1)} s, without anybody's help`);
  process.exitCode = lost.length === 0 ? 0 : 1;
}

async function startEtcd(): Promise<string[]> {
  const members = await Promise.all(['etcd1', 'etcd2', 'etcd3'].map(async (name) => ({ name, ...(await ports()) })));
  const cluster = members.map(({ name, port }) => `${name}=http://127.0.0.1:${port}`).join(',');
  for (const { name, port, api } of members) {
    const [peer, client] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${api}`];
    const flags = ['--name', name, '--data-dir', own(name), '--initial-cluster', cluster];
    flags.push('--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer);
    flags.push('--listen-client-urls', client, '--advertise-client-urls', client);
    run('etcd', flags);
  }
  return members.map(({ api }) => `127.0.0.1:${api}`);
}

function startNodes(etcd: string[], places: { port: number; api: number }[]) {
  for (const [i, { port, api }] of places.entries()) {
    const name = `node${i + 1}`;
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(configuration(name, port, api, etcd), null, 2));
    nodes.push({ name, port, api, child: run('patroni', [file]) });
  }
}

/** JSON is YAML. */
function configuration(name: string, port: number, api: number, etcd: string[]) {
  return {
    scope: 'petstore',
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { hosts: etcd },
    bootstrap: {
      dcs: {
        ttl: 10,
        loop_wait: 1,
        retry_timeout: 3,
        synchronous_mode: true,
        postgresql: { parameters: { wal_retrieve_retry_interval: '500ms', max_connections: 100 } },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C' }],
      pg_hba: ['host all all 127.0.0.1/32 md5', 'host replication all 127.0.0.1/32 md5'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(own(name), 'data'),
      bin_dir: programs?.folder,
      pgpass: join(folder, name, 'pgpass'),
      parameters: { unix_socket_directories: join(folder, name) },
      authentication: {
        superuser: { username: 'petstore', password: 'petstore' },
        replication: { username: 'replicator', password: 'petstore' },
      },
    },
  };
}

async function ports(): Promise<{ port: number; api: number }> {
  return { port: await freePort(), api: await freePort() };
}

/** A folder for a node, which belongs to whoever runs it. */
function own(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, owner?.uid ?? 0, owner?.gid ?? 0);
  return path;
}

function run(command: string, flags: string[]): ChildProcess {
  const child = spawn(command, flags, { ...owner, cwd: '/', stdio: 'ignore' });
  started.push(child);
  return child;
}

async function leader(nodes: Node[]): Promise<Node> {
  let found: Node | undefined;
  await until('a leader', async () => {
    for (const node of nodes) if (await answers([node], '/primary')) found = node;
    return found !== undefined;
  });
  if (!found) throw new Error('There is no leader.');
  return found;
}

async function answers(nodes: Node[], path: string): Promise<boolean> {
  const asked = nodes.map(({ api }) =>
    fetch(`http://127.0.0.1:${api}${path}`)
      .then(({ ok }) => ok)
      .catch(() => false),
  );
  return (await Promise.all(asked)).includes(true);
}

async function until(what: string, isSo: () => Promise<boolean>) {
  for (const end = performance.now() + 120_000; !(await isSo()); await pause(200)) {
    if (performance.now() > end) throw new Error(`There is no ${what}.`);
  }
}

/** Kills Patroni and its database, which is no child of it, as a crash of their machine would. */
async function killNode({ name, child }: Node) {
  await killAll(child.pid);
  const file = join(folder, name, 'data', 'postmaster.pid');
  if (existsSync(file)) await killAll(Number.parseInt(readFileSync(file, 'utf8'), 10));
}

/** Kills a process with everything that it started. */
async function killAll(pid = 0) {
  const pids = [pid];
  for (const one of pids) pids.push(...(await childrenOf(one)));
  for (const one of pids) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended by itself meanwhile.
    }
  }
}
