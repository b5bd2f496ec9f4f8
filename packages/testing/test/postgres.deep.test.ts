import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { describeOnClusters, describeOnSchema } from '../src/postgres/suites.ts';

describeOnSchema('databases for tests', (newSchema) => {
  test('are schemas of one server', async () => {
    const [one, other] = (await Promise.all([newSchema(), newSchema()])).map((url) => new URL(url));
    expect(one?.host).toBe(other?.host);
    expect(one?.searchParams.get('options')).not.toBe(other?.searchParams.get('options'));
  });
});

describeOnClusters('a cluster', (newCluster) => {
  test('keeps acknowledged data after a kill', async () => {
    const cluster = await newCluster();
    onTestFinished(() => cluster.remove());
    await cluster.start();
    await cluster.ask('CREATE TABLE t AS SELECT 7 AS n');
    await cluster.kill();
    await expect(cluster.ask('SELECT n FROM t')).rejects.toThrow();
    await cluster.start();
    expect(await cluster.ask('SELECT n FROM t')).toEqual([{ n: 7 }]);
  });
});

describe.skipIf(!inject('postgres').programs)('the programs', () => {
  test('run as a user that is not root', () => {
    expect(inject('postgres').programs?.owner?.uid).not.toBe(0);
  });
});
