import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Cluster } from './cluster.ts';
import { findPrograms, type Programs } from './programs.ts';

/** The PostgreSQL of this machine, for test files. */
export interface PostgresForTests {
  /** The programs that run clusters. */
  programs: Programs | undefined;
  /** An HTTP server: `/schema` and `/database` return the URL of a new schema or database, `/template` the folder of a stopped cluster. */
  origin: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresForTests;
  }
}

/**
 * Provides the test files of a run with one database server and one data folder to copy clusters from, because `initdb`
 * takes seconds. Both are created when the first test requests them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const temporary = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
  const programs = findPrograms(temporary);
  let template: Promise<Cluster> | undefined;
  let shared: Promise<Cluster> | undefined;

  // Without programs, the tests that would request a cluster are skipped.
  const templateCluster = () => (template ??= Cluster.create(programs as Programs));
  const sharedCluster = () =>
    (shared ??= templateCluster()
      .then(({ folder }) => Cluster.copy(programs as Programs, folder))
      .then((cluster) => cluster.start()));
  const newName = () => `petstore_${randomUUID().replaceAll('-', '')}`;
  const newSchema = async () => {
    const cluster = await sharedCluster();
    const name = newName();
    await cluster.ask(`CREATE SCHEMA ${name}`);
    const url = new URL(cluster.url());
    url.searchParams.set('options', `-c search_path=${name}`);
    return url.href;
  };
  const newDatabase = async () => {
    const cluster = await sharedCluster();
    const name = newName();
    await cluster.ask(`CREATE DATABASE ${name}`);
    return cluster.url(name);
  };
  const responses: Readonly<Record<string, () => Promise<string>>> = {
    '/schema': newSchema,
    '/database': newDatabase,
    '/template': async () => (await templateCluster()).folder,
  };

  const server = createServer((request, response) => {
    responses[request.url ?? '']?.().then(
      (text) => response.end(text),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  project.provide('postgres', { programs, origin: `http://127.0.0.1:${port}` });

  return async () => {
    server.close();
    server.closeAllConnections();
    // A cluster that could not be created has failed its tests already.
    for (const cluster of [shared, template]) await (await cluster?.catch(() => undefined))?.remove();
    rmSync(temporary, { recursive: true });
  };
}
