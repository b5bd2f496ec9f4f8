import manifest from '../package.json' with { type: 'json' };

/** The version of petctl, which is not that of the interface. */
export const { version } = manifest;
