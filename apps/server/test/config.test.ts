import { service } from '@petstore/types';
import { expect, test, vi } from 'vitest';
import { program } from '../src/cli/program.ts';
import { type Config, defaultConfig } from '../src/config/config.ts';
import { ConfigError } from '../src/config/kinds.ts';
import { settings } from '../src/config/settings.ts';

/** The configuration that the command line starts the server with. */
async function started(argv: string[], env: Record<string, string> = {}): Promise<Config> {
  const start = vi.fn(async (_config: Config) => {});
  await program(env, start).parseAsync(argv, { from: 'user' });
  const [config] = start.mock.lastCall ?? [];
  if (!config) throw new Error('Nothing was started.');
  return config;
}

test('without settings the defaults apply, and the environment of this process is ignored', async () => {
  vi.stubEnv('PORT', '1');
  expect(await started([])).toEqual(defaultConfig());
  vi.unstubAllEnvs();
});

test('each deployment has its own port and folder', async () => {
  const expected = {
    deployment: 'staging',
    dataDir: 'data-staging',
    port: Number(new URL(service.deployments.staging).port),
  };
  expect(await started(['--deployment', 'staging'])).toMatchObject(expected);
  expect(defaultConfig({ deployment: 'staging' })).toMatchObject(expected);
  expect(await started([])).toMatchObject({ deployment: 'production', dataDir: 'data', host: '127.0.0.1' });
});

/** Two different valid values of each setting. */
const samples: Record<keyof typeof settings, [string, string]> = {
  deployment: ['staging', 'production'],
  host: ['::1', '0.0.0.0'],
  port: ['0', '65535'],
  dataDir: ['here', 'there'],
  databasePool: ['2', '50'],
  databaseConnectTimeout: ['0.5', '2'],
  databaseStatementTimeout: ['0.5', '2'],
  idempotencyKeys: ['1', '5000'],
  validateResponses: ['true', 'false'],
  bodyLimit: ['1', '2000'],
  bodyMemory: ['1048576', '2000000'],
  responseMemory: ['1', '2000000'],
  maxConnections: ['1', '20'],
  headersTimeout: ['0.5', '2'],
  requestTimeout: ['15.25', '20'],
  responseTimeout: ['0.5', '2'],
  keepAliveTimeout: ['0.5', '2'],
  drainDelay: ['0.5', '2'],
  shutdownTimeout: ['1', '86400'],
  corsOrigins: ['https://shop.example, http://localhost:5173', '*'],
  rateLimit: ['60', 'off'],
  adminPort: ['0', 'off'],
  trustProxy: ['1', '10.0.0.0/8,::1'],
  proxyHeader: ['forwarded', 'x-forwarded-for'],
  logLevel: ['silent', 'debug'],
};

test.each(Object.entries(samples))(
  '%s: the flag overrides the variable, and both are parsed alike',
  async (name, [one, two]) => {
    const { flags, variable } = settings[name as keyof typeof settings];
    const flag = `${flags.split(' ')[0]}=${one}`;
    const byFlag = await started([flag]);
    expect(byFlag).not.toEqual(await started([], { [variable]: two }));
    expect(await started([], { [variable]: one })).toEqual(byFlag);
    expect(await started(['serve', flag], { [variable]: two })).toEqual(byFlag);
  },
);

test('the memory for bodies must hold one body of the limit', async () => {
  const argv = ['--body-limit', '2000', '--body-memory'];
  await expect(started([...argv, '1999'])).rejects.toThrow('set it to at least 2000, which is --body-limit.');
  expect((await started([...argv, '2000'])).bodyMemory).toBe(2000);
});

test('overrides of the default configuration are checked and adjusted like flags', () => {
  expect(defaultConfig({ requestTimeout: 1500 }).headersTimeout).toBe(1500);
  expect(() => defaultConfig({ bodyLimit: 2 ** 27 })).toThrow(`set it to at least ${2 ** 27}`);
});

test('values are parsed, and times are in milliseconds', async () => {
  const argv = ['--validate-responses', '--request-timeout=1.5', '--cors-origin=https://a.example,https://b.example'];
  expect(
    await started(argv, { PETSTORE_RATE_LIMIT: '60', PETSTORE_API_KEYS: 'ci=a-key-that-is-for-tests' }),
  ).toMatchObject({
    validateResponses: true,
    requestTimeout: 1500,
    headersTimeout: 1500,
    corsOrigins: ['https://a.example', 'https://b.example'],
    rateLimit: 60,
    apiKeys: 'ci=a-key-that-is-for-tests',
  });
});

test.each([
  ['port', '--port', ['http', '', '-1', '65536', '1e3', '0x10', ' 80']],
  ['deployment', '--deployment', ['nowhere', 'toString']],
  ['host', '--host', ['', ' ']],
  ['validateResponses', '--validate-responses', ['yes', '1']],
  ['bodyLimit', '--body-limit', ['0', '1mb', '1.5']],
  ['requestTimeout', '--request-timeout', ['0', '1e3', 'Infinity', '99999']],
  [
    'corsOrigins',
    '--cors-origin',
    ['', 'https://a.example/', 'a.example', '*,https://a.example', 'null', 'ftp://a.example'],
  ],
  ['rateLimit', '--rate-limit', ['0', '-1', 'none']],
  ['keepAliveTimeout', '--keep-alive-timeout', ['0', '-1']],
  ['drainDelay', '--drain-delay', ['', '-1', '86401']],
  ['adminPort', '--admin-port', ['', '65536']],
  [
    'trustProxy',
    '--trust-proxy',
    ['', '0', '17', 'localhost', '10.0.0.0/33', '10.0.0.1/', '10.0.0.1/8/8', '::1/129', '10.0.0.1;::1'],
  ],
  ['proxyHeader', '--proxy-header', ['x-real-ip']],
  ['logLevel', '--log-level', ['trace', 'INFO']],
] as const)('rejects an invalid %s, and names its source and the valid values', async (name, flag, texts) => {
  const { variable, kind } = settings[name];
  for (const text of texts) {
    const line = (source: string) => new ConfigError(`${source} is '${text}'; it must be ${kind.valid}.`);
    await expect(started([`${flag}=${text}`])).rejects.toThrow(line(flag));
    await expect(started([], { [variable]: text })).rejects.toThrow(line(variable));
  }
});

test.each([
  [{ PETSTORE_DATADIR: 'x' }, 'did you mean PETSTORE_DATA_DIR?'],
  [{ PETSTORE_PORT: '80' }, 'did you mean PORT?'],
  [{ PETSTORE_APIKEYS: 'a-key-that-is-secret' }, 'did you mean PETSTORE_API_KEYS?'],
  [{ PETSTORE_COLOUR: 'red' }, '--help shows all.'],
])('rejects the unknown variable %o', async (env, suggestion) => {
  const line = `${Object.keys(env)} in the environment is not a setting; ${suggestion}`;
  await expect(started([], env)).rejects.toThrow(new ConfigError(line));
  await expect(program(env, async () => {}).parseAsync(['keys', 'list'], { from: 'user' })).rejects.toThrow(line);
});

test('ignores the variables of others, such as those of a Kubernetes service named petstore', async () => {
  const env = {
    PETSTORE_API_KEY: 'the client reads it',
    PETSTORE_BASE_URL: 'http://127.0.0.1',
    PETSTORE_TEST_ROUNDS: '20',
    PETSTORE_SERVICE_HOST: '10.0.0.1',
    PETSTORE_SERVICE_PORT_HTTP: '8080',
    PETSTORE_PORT: 'tcp://10.0.0.1:8080',
    PETSTORE_PORT_8080_TCP_ADDR: '10.0.0.1',
  };
  expect(await started([], env)).toEqual(defaultConfig());
});

test.each([
  [['--prot', '80'], /unknown option '--prot'\s+\(Did you mean --port\?\)/],
  [['srve'], /there is no command 'srve'; did you mean serve\?/],
  [['--port', '80', 'keys', 'list'], /write 'keys' before all flags/],
  [['keys', 'lst'], /unknown command 'lst'\s+\(Did you mean list\?\)/],
])('rejects the command line %j', async (argv, message) => {
  await expect(started(argv)).rejects.toThrow(message);
});
