// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits hold templates of the sources.
import { documented, edits, type PlantedDrift, put, swap } from './planting.ts';

const client = (file: string) => `packages/client/src/${file}`;
const petctl = (file: string) => `apps/petctl/src/${file}`;

/** In what the client and petctl send, read, show and end with. */
export const plantedInSurfaces: PlantedDrift[] = [
  // The client's requests.
  ...edits('client', client('build-request.ts'), {
    'a zero that is not sent': swap('if (item != null) pairs', 'if (item) pairs'),
    'a key of the caller that is ignored': swap('options?.idempotencyKey ?? value', 'value'),
    'the same key for all calls': swap("crypto.getRandomValues(new Uint32Array(4)).join('-')", "'a-key'"),
    'a query in the body': swap("pairs.replace(/&/, '?')", 'pairs'),
  }),
  ...edits('client', client('credentials.ts'), {
    'another scheme': swap('`Bearer ${token}`', '`Token ${token}`'),
  }),
  ...edits('client', 'packages/types/src/json.ts', {
    'large integers as text': swap('rawJSON(String(original)) : original', 'String(original) : original'),
  }),
  ...edits('client', client('bodies.ts'), {
    'another content type': put('export function inExactJson', "type = 'application/json'", "type = 'text/json'"),
  }),

  // What the client makes of responses.
  ...edits('client', client('errors.ts'), {
    'another error for a status': swap("404: 'NotFound'", "404: 'InvalidRequest'"),
    'no error for a class of statuses': swap("  5: 'Server',\n", ''),
    'an error without its code': swap('code: isFromService ? code : undefined', 'code: undefined'),
    'an error without its request': swap("'x-request-id'", "'request-id'"),
    'an error without its body': put('return Object.assign(Object.defineProperties(error', '    body,\n', ''),
    'an error that is none of its class': swap("'response' in error", "'reply' in error"),
  }),
  ...edits('client', 'packages/client/README.md', {
    'another status of an error': swap('401, 404, 429, another 4xx, 5xx', '401, 404, 409, another 4xx, 5xx'),
    'an error that is not named': swap('`TimeoutError`, ', ''),
  }),
  ...edits('client', client('parse-response.ts'), {
    'large integers rounded': swap('BigInt(source)', 'Number(source)'),
    'small integers as bigints': swap('isExact(value) || /e/i', '/e/i'),
    'a success that is taken for an error': swap('ok.test(`${response.status}`)', 'response.status === 200'),
    'a success that is not declared': swap('ok.test(`${response.status}`)', 'response.status < 300'),
    'invalid JSON that is read': swap('throw errorFrom(response, text, problem);', ''),
  }),
  ...edits('client', client('pages.ts'), {
    'another relation': swap('next(\\s|$)', 'prev(\\s|$)'),
    'a link with another parameter': swap('extendTrail(start, url.href,', 'extendTrail(start, `${url.href}&limit=1`,'),
    'elements that are dropped': swap('Object(data) !== data ? data', 'Object(data) !== data ? [data].flat().slice(1)'),
  }),
  ...edits('client', client('execute.ts'), {
    'a conflict that is not repeated': (text) => text.replace(')|in_flight|(', ')|(').replace('|in_flight|', '|'),
    'no status that is repeated': (text) =>
      text.replace('rate_limited|unavailable|in_flight|', '').replace('408|429|5..', '408'),
  }),

  // petctl's requests.
  ...edits('petctl', petctl('commands/operation.ts'), {
    'a key that is not sent': swap('{ idempotencyKey: key } : {}', '{} : {}'),
  }),
  ...edits('petctl', petctl('commands/input-from-flags.ts'), {
    'a zero that is not sent': swap('(property && flags.has(name) ?', '(property && flags.get(name) ?'),
    'a body that goes before flags': swap(
      'input = withProperty(input, property, flags.get(name));',
      'input = { ...withProperty(input, property, flags.get(name)), ...input };',
    ),
    'another order of arguments': swap('input[field] = args[i]', 'input[field] = Number(args[i]) + 1'),
  }),
  ...edits('petctl', petctl('flags/parse-value.ts'), {
    'any word for an enumeration': swap("'value' in parsed ? validate(parsed.value, schema) : parsed", 'parsed'),
  }),
  ...edits('petctl', 'packages/types/src/numbers.ts', {
    'large integers rounded': swap('Number(text) : BigInt(text)', 'Number(text) : Number(text)'),
  }),

  // What petctl writes, and ends with.
  ...edits('petctl', petctl('output/format.ts'), {
    'a column that is missing': swap('usesSpec ? names :', 'usesSpec ? names.slice(0, 3) :'),
    'another order of columns': swap('usesSpec ? names :', 'usesSpec ? names.toReversed() :'),
  }),
  ...edits('petctl', petctl('output/table.ts'), {
    'another title of a column': swap("'$1 $2').toUpperCase()", "'$1_$2').toUpperCase()"),
  }),
  ...edits('petctl', petctl('io/errors.ts'), {
    'another exit code of a status': swap("return 'not_found'", "return 'rejected'"),
    'a status that is forgotten': swap(' || status === 403', ''),
  }),
  ...edits('petctl', petctl('output/report.ts'), {
    'an error without its request': swap('requestId: error.requestId ?? null', 'requestId: null'),
    'a code of its own': swap('code: error.code ?? kind', 'code: kind'),
  }),

  // What petctl says.
  ...documented(petctl('commands/help/help.ts'), {
    'no word of what is required': swap("required && 'required',", ''),
    'no bounds': swap('[boundsOf(schema), ...more]', '[...more]'),
    'no default': swap('schema.default !== undefined &&', 'false &&'),
    'the first sentence of each description': swap("description.replace(/\\.$/, '')", "description.split('. ')[0]"),
    'no notice': swap('if (node.notice)', 'if (false)'),
    'no arguments': swap('(node.args ?? []).map(argumentRow)', '([] as Argument[]).map(argumentRow)'),
    'another type': swap('<${valueName ?? kind}>', '<value>'),
  }),
  ...documented(petctl('commands/help/pages.ts'), {
    'manual pages without notices': swap('...(node.notice ? [`.PP', '...(false ? [`.PP'),
    'manual pages with summaries': swap('roff(node.description ?? `${node.summary}.`)', 'roff(`${node.summary}.`)'),
    'manual pages with three flags': swap(
      '.SH OPTIONS\\n${definitionList(optionsOf(node, flagsOf(node)))}',
      '.SH OPTIONS\\n${definitionList(optionsOf(node, (node.flags ?? []).slice(0, 3)))}',
    ),
    'a reference with summaries': put('function section', 'node.description ?? ', ''),
  }),
  ...documented(petctl('commands/tree.ts'), {
    'a notice with another day': swap('from ${sunset} on', 'from ${sunset.slice(0, 4)} on'),
    'a notice without a successor': swap('${successorHint(successor, all)}', ''),
  }),
  ...documented(petctl('settings/settings.ts'), {
    'another time-out than there is': swap('defaultText: `${defaultTimeout / 1000}s`', "defaultText: '60s'"),
    'another number of retries than there is': swap('defaultText: String(defaultRetries)', "defaultText: '3'"),
  }),
  ...edits('petctl', petctl('commands/completion.ts'), {
    'a value that is not completed': swap(': enumWords(schema);', ': enumWords(schema).slice(1);'),
    'flags without what they are': swap('[word, flag.description] as const', "[word, ''] as const"),
    'commands without what they are': swap('[name, summary]);', '[name, name]);'),
  }),
];
