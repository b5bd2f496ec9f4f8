import { newFolder, rounds } from '@petstore/testing';
import { describeOnClusters } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startPair, startServers } from '../postgres/failover.ts';
import { storedPets } from '../requests.ts';
import { type ServerOnFolder, startOnDatabase, startOnFolder } from '../server-process.ts';
import { randomNumbers, seed } from '../store/numbers.ts';
import { type BadNetwork, badNetwork } from './bad-network.ts';
import { createAll, sendCreate } from './creates.ts';

const count = rounds(100, 10_000);
const kills = rounds(1, 40);

/** Creates pets over a bad network, and requires that each is stored once, with the identifier in the response. */
async function everyPetOnce(
  network: BadNetwork,
  origin: () => string,
  disturbances: readonly (() => Promise<void>)[],
): Promise<void> {
  const pending = [...disturbances];
  const running: Promise<void>[] = [];
  const { all, violations, tries } = await createAll(network.origin, count, (acknowledged) => {
    // The disturbances come evenly over the run, and each waits for the one before.
    if (
      pending.length === 0 ||
      acknowledged < ((disturbances.length - pending.length + 0.5) * count) / disturbances.length
    )
      return;
    const next = pending.shift();
    const before = running.at(-1);
    if (next) running.push(before ? before.then(next) : next());
  });
  await Promise.all(running);
  await network.settled();
  expect(violations).toEqual([]);
  expect(pending).toEqual([]);
  const stored = await storedPets(`${origin()}/v1`);
  expect(new Set(stored.values()).size, 'a pet is stored twice').toBe(stored.size);
  expect(stored.size).toBe(count);
  expect(all.filter(({ id, name }) => id === undefined || stored.get(id) !== name)).toEqual([]);
  // A repetition has the same response long after the first one, too.
  for (const wanted of all.slice(0, 50)) {
    const { status, body, isReplayed } = await sendCreate(origin(), wanted);
    expect([status, body.id, isReplayed]).toEqual([201, wanted.id, true]);
  }
  const outcomes = [...network.outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(', ');
  console.log(`${count} pets, each once, after ${tries} tries and ${disturbances.length} disturbances: ${outcomes}`);
}

test(`in a data folder every pet exists once, with a bad network and ${kills} kills of the server`, async () => {
  const random = randomNumbers(seed());
  const folder = newFolder();
  let server: ServerOnFolder | undefined = await startOnFolder(folder, ['--log-level', 'error']);
  const origin = () => server?.origin ?? '';
  const network = await badNetwork(() => (server ? [server.origin] : []), random);
  onTestFinished(() => network.close());
  const kill = async () => {
    const victim = server;
    server = undefined;
    victim?.child.kill('SIGKILL');
    await victim?.ended;
    server = await startOnFolder(folder, ['--log-level', 'error']);
  };
  await everyPetOnce(network, origin, Array<typeof kill>(kills).fill(kill));
});

describeOnClusters('on PostgreSQL', (newCluster) => {
  test(`every pet exists once, with a bad network, ${kills} kills of servers and a failover`, async () => {
    const random = randomNumbers(seed());
    const { url, failOver } = await startPair(newCluster);
    const servers = await startServers(url);
    onTestFinished(async () => void (await Promise.all(servers.map((one) => one.kill()))));
    const network = await badNetwork(() => servers.map(({ origin }) => origin), random);
    onTestFinished(() => network.close());
    const kill = async () => {
      const victim = random(servers.length);
      await servers[victim]?.kill();
      servers[victim] = await startOnDatabase(url);
    };
    const all = Array<typeof kill>(kills).fill(kill);
    await everyPetOnce(network, () => servers[0]?.origin ?? '', all.toSpliced(kills >> 1, 0, failOver));
  });
});
