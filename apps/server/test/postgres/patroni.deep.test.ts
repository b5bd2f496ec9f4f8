import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, freePort, makeFolder, missingProgram, skips, trySignal } from '@petstore/testing';
import { Load } from '@petstore/testing/load';
import { findPrograms } from '@petstore/testing/postgres/programs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPostgresStore } from '../../src/store/open.ts';
import { startOnDatabase } from '../server-process.ts';
import { firstAfter } from './failover.ts';

interface Node {
  name: string;
  port: number;
  api: number;
  child: ChildProcess;
}

const { folder, remove } = makeFolder('patroni');
chmodSync(folder, 0o755);
const programs = findPrograms(folder);
const owner = programs?.owner;
const [what, missing] = ['A failover by Patroni', missingProgram('patroni') ?? missingProgram('etcd')];
const isSkipped = owner
  ? skips(what, missing, 'patroni, etcd-server and python3-etcd')
  : skips(what, 'only root can run PostgreSQL as another user');

test.skipIf(isSkipped)('Patroni replaces a killed leader, and no acknowledged write is lost', async () => {
  const started: ChildProcess[] = [];
  const nodes: Node[] = [];
  onTestFinished(async () => {
    for (const node of nodes) await killNode(node);
    for (const { pid } of started) await killTree(pid);
    remove();
  });
  const etcd = await startEtcd(started);
  for (const name of ['node1', 'node2', 'node3']) nodes.push(await startNode(name, etcd, started));
  const leader = await vi.waitFor(() => firstWith('/primary', nodes), { timeout: 120_000, interval: 200 });
  await vi.waitFor(() => firstWith('/sync', nodes), { timeout: 120_000, interval: 200 });

  const url = `postgres://petstore:petstore@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`;
  const servers = [await startOnDatabase(url), await startOnDatabase(url)];
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
  const load = new Load(() => servers.map(({ baseUrl }) => baseUrl), 64);
  await load.more(5000);
  await killNode(leader);
  const killed = performance.now();
  await load.more(5000);
  await load.stop();

  // The store finds the new leader.
  const store = await openPostgresStore(url);
  const query = { after: 0, limit: 1_000_000, maxBytes: Number.MAX_SAFE_INTEGER };
  const { json } = await store.collection('pets').list(query);
  await store.close();
  const pets: { id: number; name: string }[] = JSON.parse(json.text);
  const stored = new Map(pets.map(({ id, name }) => [id, name]));
  expect([...load.known].filter(([id, name]) => stored.get(id) !== name)).toEqual([]);
  console.log(`Patroni: 0 of ${load.known.size} lost, first 201 after ${firstAfter(load, killed)} ms`);
});

/** Starts three members, and returns the addresses for their clients. */
async function startEtcd(started: ChildProcess[]): Promise<string[]> {
  const names = ['etcd1', 'etcd2', 'etcd3'];
  const members = await Promise.all(
    names.map(async (name) => ({ name, peer: await freePort(), client: await freePort() })),
  );
  const cluster = members.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(',');
  for (const member of members) {
    const [peer, client] = [`http://127.0.0.1:${member.peer}`, `http://127.0.0.1:${member.client}`];
    const flags = ['--name', member.name, '--data-dir', ownedFolder(member.name), '--initial-cluster', cluster];
    flags.push('--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer);
    flags.push('--listen-client-urls', client, '--advertise-client-urls', client);
    started.push(run('etcd', flags));
  }
  return members.map(({ client }) => `127.0.0.1:${client}`);
}

/** Starts Patroni with a file of settings, and Patroni starts its database. The file is JSON, which is YAML, too. */
async function startNode(name: string, etcd: readonly string[], started: ChildProcess[]): Promise<Node> {
  const [port, api] = [await freePort(), await freePort()];
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(settings(name, port, api, etcd)));
  const child = run('patroni', [file]);
  started.push(child);
  return { name, port, api, child };
}

function settings(name: string, port: number, api: number, etcd: readonly string[]) {
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
      data_dir: join(ownedFolder(name), 'data'),
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

/** Creates a folder of the user that runs the programs. */
function ownedFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, owner?.uid ?? 0, owner?.gid ?? 0);
  return path;
}

const run = (command: string, flags: string[]) => spawn(command, flags, { ...owner, cwd: '/', stdio: 'ignore' });

/** The first node whose Patroni responds to a path with 200. Throws if none does. */
async function firstWith(path: string, nodes: readonly Node[]): Promise<Node> {
  for (const node of nodes) {
    const isOk = await fetch(`http://127.0.0.1:${node.api}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isOk) return node;
  }
  throw new Error(`No node responds to ${path} with 200.`);
}

/** Kills Patroni and its database, which is not its child, as a crash of their machine would. */
async function killNode({ name, child }: Node): Promise<void> {
  if (child.signalCode !== null) return;
  await killTree(child.pid);
  const file = join(folder, name, 'data', 'postmaster.pid');
  if (existsSync(file)) await killTree(Number.parseInt(readFileSync(file, 'utf8'), 10));
}

/** Kills a process with its descendants. */
async function killTree(pid = 0): Promise<void> {
  if (pid <= 0) return;
  const pids = [pid];
  for (const one of pids) pids.push(...(await childrenOf(one)));
  for (const one of pids) trySignal(one, 'SIGKILL');
}
