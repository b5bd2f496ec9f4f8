import { newFolder } from '@petstore/testing';
import { afterAll, describe, test } from 'vitest';
import { installOldestNode, runSuite } from './runtimes.ts';

const folder = newFolder('oldest-node', afterAll);

// All three support the same versions.
const nodes = await installOldestNode('packages/client', folder);

describe.each(nodes)('on $name', ({ command }) => {
  test.each(['packages/types', 'packages/client'])('the tests of %s pass', async (suite) => {
    await runSuite(suite, { PETSTORE_TEST_NODE: command });
  });

  test('the tests of petctl pass, with the built program', async () => {
    // Shells do not depend on Node, and very many cells take Node 20 half a minute.
    const omitted = ['--exclude=test/completion.test.ts', '--testNamePattern=^(?!.*very many empty cells)'];
    await runSuite('apps/petctl', { PETSTORE_TEST_PETCTL_NODE: command }, ...omitted);
  });
});
