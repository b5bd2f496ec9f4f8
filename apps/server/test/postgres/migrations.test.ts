import { describeOnDatabase } from '@petstore/testing/postgres';
import { operations } from '@petstore/types';
import { expect, onTestFinished, test } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { migrations } from '../../src/store/postgres/migrations.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { Session } from '../../src/store/postgres/session.ts';

const limits = { statement: 10_000, turn: 10_000 };

async function sessionTo(url: string): Promise<Session> {
  const session = await Session.open(url, 5_000, () => {});
  onTestFinished(() => session.end());
  return session;
}

test('serve every status of the spec with an index', () => {
  const indexed = migrations.flat().map((statement) => /WHERE status = '(\w+)'/.exec(statement)?.[1]);
  expect(indexed.filter(Boolean)).toEqual([...operations.listPets.fields.status.schema.enum]);
});

describeOnDatabase('migrations', (newDatabase) => {
  test('are applied once when many servers start together', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 12 }, () => openPostgresStore(url, { poolSize: 2 })));
    const added = await Promise.all(stores.map((store) => handlers(store).createPet({ name: 'Rex', categoryId: 1 })));
    expect(added.map(({ id }) => id).sort((a, b) => a - b)).toEqual(stores.map((_, i) => i + 1));
    const session = await sessionTo(url);
    const { rows } = await session.ask({ text: 'SELECT version FROM petstore_migrations', rowMode: 'array' }, 5_000);
    expect(rows).toEqual(migrations.map((_, i) => [String(i + 1)]));
    for (const store of stores) await store.close();
  });

  test('run under a server that is older, which goes on and can start again', async () => {
    const url = await newDatabase();
    const older = await openPostgresStore(url);
    onTestFinished(() => older.close());
    const first = await handlers(older).createPet({ name: 'Rex', categoryId: 1 });
    const session = await sessionTo(url);
    await migrate(session, [...migrations, ['ALTER TABLE pets ADD COLUMN IF NOT EXISTS colour text']], limits);
    const second = await handlers(older).createPet({ name: 'Tom', categoryId: 1 });
    const again = await openPostgresStore(url);
    onTestFinished(() => again.close());
    expect(await handlers(again).listPets({ after: 0, limit: 10 })).toEqual([first, second]);
  });

  test('go on where a start was killed, and leave the lock to the next one', async () => {
    const url = await newDatabase();
    const killed = await sessionTo(url);
    await expect(migrate(killed, [[...(migrations[0] ?? []), 'SELECT 1/0']], limits)).rejects.toThrow('zero');
    const waiting = openPostgresStore(url);
    killed.end();
    const store = await waiting;
    onTestFinished(() => store.close());
    expect(await handlers(store).createPet({ name: 'Rex', categoryId: 1 })).toMatchObject({ id: 1 });
  });

  test('end with a sentence when another server holds the lock for too long', async () => {
    const url = await newDatabase();
    const holder = await sessionTo(url);
    await expect(migrate(holder, [['SELECT 1/0']], limits)).rejects.toThrow('zero');
    const other = await sessionTo(url);
    await expect(migrate(other, migrations, { ...limits, turn: 100 })).rejects.toThrow('another server');
  });
});
