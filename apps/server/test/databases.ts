// Suites that run on PostgreSQL.
import { randomUUID } from 'node:crypto';
import { skips } from '@petstore/testing';
import { ask, type Cluster, newCluster } from '@petstore/testing/postgres';
import { describe, inject } from 'vitest';

const newName = () => `petstore_${randomUUID().replaceAll('-', '')}`;

/** Runs tests on new schemas of a database server that all tests share and none stops. */
export function describeOnSchema(
  what: string,
  tests: (newSchema: () => Promise<string>) => void,
): void {
  describeOnPostgres(what, (shared) =>
    tests(async () => {
      const name = newName();
      await ask(shared, `CREATE SCHEMA ${name}`);
      const url = new URL(shared);
      url.searchParams.set('options', `-c search_path=${name}`);
      return url.href;
    }),
  );
}

/** Runs tests on new databases of that server, for tests of migrations: migrations of one database wait for each other. */
export function describeOnOwnDatabase(
  what: string,
  tests: (newDatabase: () => Promise<string>) => void,
): void {
  describeOnPostgres(what, (shared) =>
    tests(async () => {
      const name = newName();
      await ask(shared, `CREATE DATABASE ${name}`);
      return Object.assign(new URL(shared), { pathname: `/${name}` }).href;
    }),
  );
}

/** Runs tests that stop and kill database servers of their own. A test has to remove its server. */
export function describeOnClusters(
  what: string,
  tests: (create: () => Promise<Cluster>) => void,
): void {
  describeOnPostgres(what, () => tests(() => newCluster()));
}

function describeOnPostgres(what: string, tests: (shared: string) => void): void {
  const shared = inject('postgres');
  const isSkipped = skips(what, shared ? undefined : 'there is no PostgreSQL', 'postgresql');
  // Skipped tests do not run, so they use no server.
  describe.skipIf(isSkipped)(what, () => tests(shared ?? ''));
}
