import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasShell, newWorld, type World } from '../docs/world.ts';

describe.skipIf(!hasShell)('alert-none-available.sh', () => {
  let world: World;
  beforeAll(async () => {
    world = await newWorld();
  });
  afterAll(() => world?.close());

  const alert = (settings: Record<string, string> = {}) => world.run('./alert-none-available.sh', settings);

  test('is a script that a plain shell understands', async () => {
    expect(await world.run('sh -n alert-none-available.sh')).toEqual({ code: 0, output: '' });
  });

  test('says in one line that none is available, and ends with 10', async () => {
    await world.run('petctl pets create --name Tom --category-id 1 --status sold --quiet');
    expect(await alert()).toEqual({ code: 10, output: 'Petstore: no animal is available.\n' });
  });

  test('says nothing as long as there are some, so that cron sends no mail', async () => {
    for (const name of ['Rex', 'Ida']) {
      await world.run(`petctl pets create --name ${name} --category-id 2 --status available --quiet`);
    }
    expect(await alert()).toEqual({ code: 0, output: '' });
  });

  test.each([
    ['nothing listens', { PETCTL_BASE_URL: 'http://127.0.0.1:1/v1' }, 3, 'could not be reached'],
    ['the key is not known', { PETCTL_API_KEY: 'another-key' }, 4, 'missing or invalid'],
  ])("passes on why it does not know, with petctl's exit code, where %s", async (_, settings, code, reason) => {
    const ended = await alert({ PETCTL_RETRIES: '0', ...settings });
    expect(ended.code, ended.output).toBe(code);
    expect(ended.output).toContain(reason);
    expect(ended.output).toContain(`is not known, petctl ended with ${code}.\n`);
  });
});
