import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { missingProgram, newFolder, skips } from '@petstore/testing';
import { describeOnClusters } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { openPostgresStore } from '../../src/store/open.ts';

const isSkipped = skips('TLS to the database', missingProgram('openssl', ['version']), 'openssl');

describeOnClusters('TLS', (newCluster) => {
  test.skipIf(isSkipped)(
    'is used where the address requires it, with a verified certificate',
    async () => {
      const folder = newFolder();
      const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
      const flags =
        'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'.split(' ');
      flags.push('-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate);
      execFileSync('openssl', flags, { stdio: 'pipe' });
      const cluster = await newCluster();
      onTestFinished(() => cluster.remove());
      cluster.put('server.key', key);
      cluster.put('server.crt', certificate);
      cluster.set('ssl = on');
      await cluster.start();

      const address = (host: string, options: string) =>
        `postgres://petstore@${host}:${cluster.port}/postgres${options}`;
      const open = (host: string, options: string) =>
        openPostgresStore(address(host, options), { connectTimeout: 1_000 });
      for (const [options, encrypted] of [
        ['', false],
        [`?sslmode=verify-full&sslrootcert=${certificate}`, true],
        ['?sslmode=no-verify', true],
      ] as const) {
        const store = await open('localhost', options);
        const ssl = `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore-server'`;
        await handlers(store).createPet({ name: 'Rex', categoryId: 1 });
        expect(await cluster.ask(ssl)).toContainEqual({ ssl: encrypted });
        await store.close();
      }
      await expect(open('localhost', '?sslmode=verify-full')).rejects.toThrow('self-signed');
      await expect(open('127.0.0.1', `?sslmode=verify-full&sslrootcert=${certificate}`)).rejects.toThrow(
        'does not match',
      );
    },
    60_000,
  );
});
