import { describe, inject } from 'vitest';
import { skips } from '../skip.ts';
import { Cluster } from './cluster.ts';
import type {} from './set-up.ts';

const REASON = 'there is no PostgreSQL';
const PACKAGE = 'postgresql';

/** Makes a cluster, which is not started yet, and which the test has to remove. */
export type NewCluster = () => Promise<Cluster>;

/** Tests on schemas of their own, in a database server that they share and do not stop. */
export function describeOnDatabase(what: string, tests: (newDatabase: () => Promise<string>) => void): void {
  const { hasDatabase } = inject('postgres');
  const isSkipped = skips(what, hasDatabase ? undefined : REASON, PACKAGE);
  describe.skipIf(isSkipped)(what, () => tests(() => ask('/schema')));
}

/** Tests that stop, kill and copy database servers, and therefore have their own. */
export function describeOnClusters(what: string, tests: (newCluster: NewCluster) => void): void {
  const { programs } = inject('postgres');
  const isSkipped = skips(what, programs ? undefined : REASON, PACKAGE);
  describe.skipIf(isSkipped)(what, () =>
    tests(async () => {
      if (!programs) throw new Error(REASON);
      return Cluster.copy(programs, await ask('/template'));
    }),
  );
}

async function ask(path: string): Promise<string> {
  const response = await fetch(inject('postgres').origin + path);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
