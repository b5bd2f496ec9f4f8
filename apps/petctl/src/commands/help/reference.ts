import { exitCodes } from '../../io/errors.ts';
import { credentialName, schemes } from '../../keys/credentials.ts';

/** A name with its description. */
export type Row = readonly [name: string, description: string];

/** The environment variables that have no flag; the description of a flag names its variable. */
export function environmentRows(): readonly Row[] {
  return [
    ...schemes().map(
      (scheme): Row => [
        scheme.variable,
        `The ${credentialName(scheme)}. Overrides a stored one. There is no flag for it.`,
      ],
    ),
    ['NO_COLOR, FORCE_COLOR', 'No colours, or always colours; --color and --no-color override both.'],
    ['XDG_CONFIG_HOME', 'The folder with petctl/credentials.json. Default: ~/.config, on Windows APPDATA.'],
    ['http_proxy, https_proxy', 'Proxies; all_proxy sets both, no_proxy lists exceptions.'],
    ['NODE_EXTRA_CA_CERTS', 'A file with more trusted certificates.'],
  ];
}

/** The exit codes with their meanings. */
export function exitCodeRows(): readonly Row[] {
  return Object.values(exitCodes).map(({ exit, meaning }) => [String(exit), `${meaning}.`]);
}
