import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { Cluster } from './cluster.ts';
import { findPrograms, type Programs } from './programs.ts';

/** The PostgreSQL of this machine, for test files. */
export interface PostgresForTests {
  /** Whether there is a server for schemas, which all test files share. */
  hasDatabase: boolean;
  /** The programs that run other clusters. */
  programs: Programs | undefined;
  /** A server: `GET /schema` returns the address of a new schema, `GET /template` the folder of a stopped cluster. */
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
  const configured = process.env.PETSTORE_TEST_DATABASE_URL;
  const temporary = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
  const programs = findPrograms(temporary);
  let template: Promise<Cluster> | undefined;
  let shared: Promise<Cluster> | undefined;
  const schemas: string[] = [];

  const templateCluster = () => {
    if (!programs) throw new Error('There is no PostgreSQL.');
    template ??= Cluster.create(programs);
    return template;
  };
  const databaseUrl = async () => {
    if (configured || !programs) return configured ?? '';
    shared ??= templateCluster()
      .then(({ folder }) => Cluster.copy(programs, folder))
      .then((cluster) => cluster.start());
    return (await shared).url();
  };
  const newSchema = async () => {
    const url = new URL(await databaseUrl());
    const name = `petstore_${randomUUID().replaceAll('-', '')}`;
    await execute(url.href, `CREATE SCHEMA ${name}`);
    schemas.push(name);
    url.searchParams.set('options', `-c search_path=${name}`);
    return url.href;
  };

  const server = createServer((request, response) => {
    const result = request.url === '/schema' ? newSchema() : templateCluster().then(({ folder }) => folder);
    result.then(
      (text) => response.end(text),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  project.provide('postgres', {
    hasDatabase: Boolean(configured || programs),
    programs,
    origin: `http://127.0.0.1:${port}`,
  });

  return async () => {
    server.close();
    server.closeAllConnections();
    if (configured) for (const name of schemas) await execute(configured, `DROP SCHEMA IF EXISTS ${name} CASCADE`);
    await (await shared)?.remove();
    await (await template)?.remove();
    rmSync(temporary, { recursive: true });
  };
}

async function execute(url: string, text: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}
