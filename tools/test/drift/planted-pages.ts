// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits hold templates of the sources.
import { described, edits, type PlantedDrift, put, swap } from './planting.ts';

/** In the pages, the manifests and the changesets. */
export const plantedInPages: PlantedDrift[] = [
  // The pages.
  ...edits('docs', 'README.md', {
    'a script that is not there': (text) => text.replace('npm start ', 'npm run strat '),
    'a link to nothing': (text) => text.replace('(docs/decisions.md)', '(docs/decision.md)'),
  }),
  ...edits('docs', 'apps/server/README.md', {
    'a link to nothing': swap('docs/kubernetes.md)', 'docs/cubernetes.md)'),
  }),
  ...edits('docs', 'docs/operating.md', {
    'a variable that nothing reads': (text) => text.replace('PETSTORE_BODY_LIMIT', 'PETSTORE_BODY_LIMITS'),
    'a command that is not there': (text) => text.replace('keys create', 'keys make'),
    'a flag that is not there': (text) => text.replace('create --name', 'create --called'),
  }),
  ...edits('docs', 'docs/decisions.md', {
    'an operation that is not there': (text) => `${text}\nUse \`GET /store/orders\`.\n`,
  }),
  ...edits('docs', 'packages/client/README.md', {
    'a function that is not there': (text) => text.replace('store.createPet(', 'store.addPet('),
    'an enum value that is not there': (text) =>
      text.replace("listPets({ status: 'sold' })", "listPets({ status: 'lost' })"),
  }),
  ...edits('docs', 'packages/types/README.md', {
    'an input that is not there': (text) => text.replace('fields.limit', 'fields.size'),
  }),
  ...described('docs', {
    'an enum value that the pages still show': put('    PetStatus:', 'available, pending, sold', 'free, pending, sold'),
  }),

  ...edits('docs', 'docs/operating.md', {
    'a setting that is missing': (text) => text.replace(/^\| `PETSTORE_DRAIN_DELAY`.*\n/m, ''),
    'a setting that is not there': (text) =>
      text.replace(/^(\| `PORT`.*)$/m, '$1\n| `PETSTORE_DRAIN_TIME` | `--drain-time` | 5 |'),
    'another default in bytes': (text) => text.replace('| 1 MiB |', '| 2 MiB |'),
    'another default in seconds': (text) => text.replace('| 65 seconds', '| 60 seconds'),
    'another default in thousands': (text) => text.replace('| 10,000 |', '| 1,000 |'),
    'another default by name': (text) => text.replace('`--log-level` | `info`', '`--log-level` | `warn`'),
    'the flag of another setting': (text) => text.replace('`--headers-timeout`', '`--header-timeout`'),
    'a flag behind a variable that is not there': (text) =>
      `${text}\n\`\`\`sh\nPORT=1 npx @petstore/server --prot 1\n\`\`\`\n`,
    'a script behind a variable that is not there': (text) => `${text}\n\`\`\`sh\nPORT=1 npm run strat\n\`\`\`\n`,
    'a command of petctl behind variables': (text) =>
      `${text}\n\`\`\`sh\nPETCTL_API_KEY='a b' PETCTL_OUTPUT=json npx petctl pets ls\n\`\`\`\n`,
    'a route that nobody serves': (text) => `${text}\nAsk \`GET /health\`.\n`,
  }),
  ...edits('docs', 'apps/server/src/config/settings.ts', {
    'another default of a time in the code': put('--headers-timeout', "'10'", "'20'"),
    'another flag in the code': (text) => text.replace('--max-connections', '--connections'),
  }),

  // The numbers and names that pages say.
  ...edits('docs', 'apps/server/src/limits.ts', {
    'another default in the code': put('DEFAULTS', '2 ** 20', '2 ** 21'),
    'another default of a time in the code': put('keepAliveTimeout', '65_000', '70_000'),
    'another bound in the code': put('MAX_JSON_DEPTH', '64', '32'),
    'another size of a page': put('MAX_PAGE_BYTES', '2 ** 20', '2 ** 21'),
    'another number of requests with one key': put('MAX_REQUESTS_PER_KEY', '4', '8'),
    'a bound that the page lacks': (text) => `${text}\nexport const MAX_THINGS = 7;\n`,
  }),
  ...edits('docs', 'apps/server/src/store/group-commit.ts', {
    'another bound of an object': put('MAX_QUEUED', '20_000', '30_000'),
  }),
  ...edits('docs', 'apps/server/src/store/store.ts', {
    'another life of a key': put('IDEMPOTENCY_MS', '86_400_000', '43_200_000'),
  }),
  ...edits('docs', 'packages/client/src/connection.ts', {
    'more retries': put('defaults: Limits', 'limit: 2', 'limit: 3'),
    'a longer call': put('defaults: Limits', 'timeout: 30_000', 'timeout: 60_000'),
  }),
  ...edits('docs', 'docs/security.md', {
    'another number': swap('| 65 s |', '| 60 s |'),
    'a bound that is not there': swap('`MAX_TINY_CHUNKS`', '`MAX_SMALL_CHUNKS`'),
    'a test that is not there': swap('`http/json.test.ts`', '`http/text.test.ts`'),
  }),
  ...edits('docs', 'docs/operating.md', {
    'a metric that is not there': swap('petstore_requests_total', 'petstore_request_total'),
    'a flag that is not there, in a sentence': (text) => `${text}\nUse \`--stop-timeout\`.\n`,
    'a flag with the name of something else': (text) => `${text}\nUse \`--error\`.\n`,
    'the beginning of a variable': (text) => `${text}\nSet \`PETSTORE_BODY\`.\n`,
    'the beginning of a metric': swap('petstore_store_commit_writes', 'petstore_store_commit'),
    'a heading that is not there': swap('(#stopping)', '(#stops)'),
    'a heading that another page lacks': swap('security.md#storage-of-keys', 'security.md#keys'),
    'a flag of the package that is not there': (text) => `${text}\n\`\`\`sh\nnpx @petstore/server --prot 1\n\`\`\`\n`,
    'a path that nobody serves': swap('`/readyz`', '`/ready`'),
  }),
  ...edits('docs', 'README.md', {
    'a code that nobody sends': swap('"code":"invalid_request"', '"code":"bad_request"'),
  }),

  // The pages of the server.
  ...edits('conformance', 'apps/server/src/docs/docs.ts', {
    'a parameter without its description': swap("${rest.description ?? ''}", ''),
    'an operation without its description': swap(', operation.description].join', '].join'),
    'a deprecation that is not said': swap('if (deprecated) {', 'if (stability) {'),
    'another bound in openapi.json': swap(
      'json(readableSpec)',
      "content('application/json', async () => JSON.stringify(await readableSpec()).replace('100', '1000'))",
    ),
    'another bound in openapi.yaml': swap(
      "content('application/yaml', specText)",
      "content('application/yaml', async () => (await specText()).replace('maximum: 100', 'maximum: 1000'))",
    ),
    'no page': swap('() => html', "() => ''"),
  }),

  // Versions.
  ...edits('versions', 'packages/client/package.json', {
    'a package ahead': (text) => text.replace(/"version": ".*"/, '"version": "99.0.0"'),
  }),
  ...edits('versions', 'spec/package.json', {
    'the spec package behind': (text) => text.replace(/"version": ".*"/, '"version": "0.0.1"'),
  }),
  ...edits('versions', '.changeset/config.json', {
    'a package by itself': (text) => text.replace('"petctl", ', ''),
  }),
  ...edits('versions', '.changeset/wrong-name.md', {
    'a changeset for a package that is not there': () => '---\n"petctrl": minor\n---\n\nMore.\n',
  }),
  ...edits('versions', '.changeset/wrong-bump.md', {
    'a changeset of an unknown level': () => '---\n"petctl": huge\n---\n\nMore.\n',
  }),
  ...described('versions', {
    'a version without its packages': put('info:', /version: .*/, 'version: 99.0.0'),
  }),
  ...edits('versions', '.changeset/config.json', {
    'two groups': (text) =>
      text.replace('"@petstore/client", ', '').replace('"fixed": [[', '"fixed": [["@petstore/client"], ['),
  }),
  ...edits('versions', 'packages/client/package.json', {
    'a package that is private': (text) => text.replace('"license"', '"private": true,\n  "license"'),
  }),
  ...edits('versions', 'apps/server/package.json', {
    'a package that is published from its sources': (text) => text.replace('"publishConfig"', '"config"'),
  }),
];
