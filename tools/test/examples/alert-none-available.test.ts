import { beforeAll, describe, expect, test } from 'vitest';
import { textOf } from '../../repository.ts';
import { type Fixture, hasShell, newFixture } from '../support/fixture.ts';

describe.skipIf(!hasShell)('alert-none-available.sh', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await newFixture();
    return fixture.close;
  });

  const alert = (env: Record<string, string> = {}) => fixture.run('./alert-none-available.sh', env);

  test('is a script that a POSIX shell parses', async () => {
    expect(await fixture.run('sh -n alert-none-available.sh')).toEqual({ code: 0, output: '' });
  });

  test('its lines for cron name the folder of npm, because cron searches only /usr/bin and /bin', () => {
    expect(textOf('examples/alert-none-available.sh')).toMatch(
      /^# +PATH=\/usr\/local\/bin:\/usr\/bin:\/bin\n(?:# .*\n)*# +\*\/15 /m,
    );
  });

  test('prints one line if no pet is available, and ends with 10', async () => {
    await fixture.run('petctl pets create --name Tom --category-id 1 --status sold --quiet');
    expect(await alert()).toEqual({ code: 10, output: 'Petstore: no pet is available.\n' });
  });

  test('prints nothing if there are some, so cron sends no mail', async () => {
    for (const name of ['Rex', 'Ida']) {
      await fixture.run(`petctl pets create --name ${name} --category-id 2 --status available --quiet`);
    }
    expect(await alert()).toEqual({ code: 0, output: '' });
  });

  test.each([
    ['if nothing listens', { PETCTL_BASE_URL: 'http://127.0.0.1:1/v1' }, 3, 'could not be reached'],
    ['if the key is not accepted', { PETCTL_API_KEY: 'another-key' }, 4, 'missing or invalid'],
  ])("reports the reason and petctl's exit code %s", async (_, env, code, reason) => {
    const result = await alert({ PETCTL_RETRIES: '0', ...env });
    expect(result.code, result.output).toBe(code);
    expect(result.output).toContain(reason);
    expect(result.output).toContain(`petctl exited with ${code}. See its error above.\n`);
  });
});
