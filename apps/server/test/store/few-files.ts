import { closeSync, openSync } from 'node:fs';
import { errorCode } from '../../src/files/files.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { addMany } from './store-contents.ts';
import { smallSegments, things } from './store-fixture.ts';

/**
 * A process with few file descriptors: `node few-files.ts <folder>`. No descriptor is free at the end of a segment, and some are
 * free again later.
 */
const [folder = ''] = process.argv.slice(2);
const warnings: string[] = [];
const store = await openLowdbStore(folder, [things], {
  maxSegment: smallSegments,
  onWarning: (line) => warnings.push(line),
});
const collection = store.collection('things');
for (let i = 0; i < 3; i++) await collection.create({ size: i });

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch (error) {
  if (errorCode(error) !== 'EMFILE') throw error;
}
const attempt = () =>
  collection.create({ text: 'at the end of a segment' }).then(
    ({ outcome }) => outcome,
    (error: Error) => error.name,
  );
// The active segment takes some more.
let outcome = await attempt();
for (let created = 3; outcome === 'stored' && created < smallSegments; created++) outcome = await attempt();
const without = [outcome, await attempt(), store.hasFailed()];
for (const descriptor of taken) closeSync(descriptor);
const { last } = await collection.list({ after: 0, limit: 1000 });
const again = await collection.create({});
const result = { without, isNext: again.id === last + 1, hasFailed: store.hasFailed() };
const added = [];
for (let i = 0; i < 10; i++) added.push(...(await addMany(collection, 100)));
await store.close();

// No document is cached yet, and there are more documents than descriptors.
const reopened = await openLowdbStore(folder, [things], { maxSegment: smallSegments });
const reads = added.map(async ({ id }) => (await reopened.collection('things').get(id))?.id === id);
const found = await Promise.all(reads).then(
  (isFound) => isFound.every(Boolean),
  (error: Error) => error.message,
);
await reopened.close();
console.log(JSON.stringify({ ...result, found }));
