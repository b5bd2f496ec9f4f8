import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { Cluster } from './cluster.ts';
import { findPrograms, type Programs } from './programs.ts';

const given = process.env.PETSTORE_TEST_DATABASE_URL;
const programs = findPrograms();

/** Says loudly what cannot be tried; in CI, where it always could, that is an error. */
function skipped(what: string): boolean {
  if (process.env.CI) throw new Error(`There is no PostgreSQL, so ${what} cannot be tried.`);
  console.error(`SKIPPED: there is no PostgreSQL to be had here, so ${what} is not tried.`);
  return true;
}

/** Tests on schemas of their own, which are as good as databases and sooner made, on a server that they do not stop. */
export function describeOnDatabase(what: string, tests: (newDatabase: () => Promise<string>) => void) {
  const missing = !given && !programs && skipped(what);
  describe.skipIf(missing)(what, () => {
    let cluster: Cluster | undefined;
    let server = given ?? '';
    const made: string[] = [];
    beforeAll(async () => {
      if (given || !programs) return;
      cluster = await Cluster.create(programs);
      server = (await cluster.start()).url();
    }, 60_000);
    afterAll(async () => {
      if (!cluster) for (const name of made) await run(server, `DROP SCHEMA IF EXISTS ${name} CASCADE`);
      await cluster?.remove();
    });
    tests(async () => {
      const name = `petstore_${randomUUID().replaceAll('-', '')}`;
      await run(server, `CREATE SCHEMA ${name}`);
      made.push(name);
      const url = new URL(server);
      url.searchParams.set('options', `-c search_path=${name}`);
      return url.href;
    });
  });
}

/** Tests that stop, kill and copy database servers, which therefore have to be their own. */
export function describeOnClusters(what: string, tests: (programs: Programs) => void) {
  if (programs) describe(what, () => tests(programs));
  else if (skipped(what)) describe.skip(what, () => tests({ folder: '', owner: undefined }));
}

async function run(url: string, text: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}
