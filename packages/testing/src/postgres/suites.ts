import { describe, inject } from 'vitest';
import { skips } from '../machine.ts';
import { Cluster } from './cluster.ts';
import type { Programs } from './programs.ts';
// Declares the type of `inject('postgres')`.
import type {} from './set-up.ts';

/** Creates a cluster that is not started yet. The test has to remove it. */
export type NewCluster = () => Promise<Cluster>;

/** Runs tests on new schemas of a database server that all tests share and none stops. */
export function describeOnSchema(what: string, tests: (newSchema: () => Promise<string>) => void): void {
  describeOnPostgres(what, () => tests(() => fetchText('/schema')));
}

/** Runs tests on new databases of that server, for tests of migrations: migrations of one database wait for each other. */
export function describeOnOwnDatabase(what: string, tests: (newDatabase: () => Promise<string>) => void): void {
  describeOnPostgres(what, () => tests(() => fetchText('/database')));
}

/** Runs tests that stop, kill and copy database servers of their own. */
export function describeOnClusters(what: string, tests: (newCluster: NewCluster) => void): void {
  describeOnPostgres(what, (programs) => tests(async () => Cluster.copy(programs, await fetchText('/template'))));
}

function describeOnPostgres(what: string, tests: (programs: Programs) => void): void {
  const { programs } = inject('postgres');
  const isSkipped = skips(what, programs ? undefined : 'there is no PostgreSQL', 'postgresql');
  // Skipped tests do not run, so they use no programs.
  describe.skipIf(isSkipped)(what, () => tests(programs as Programs));
}

async function fetchText(path: string): Promise<string> {
  const response = await fetch(inject('postgres').origin + path);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
