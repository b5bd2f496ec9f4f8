const client = require('@petstore/client');
const check = require('@petstore/client/check');
const types = require('@petstore/types');
const { roundTrip } = require('./round-trip.js');

roundTrip(client, check, types, process.argv.slice(2)).then((result) => console.log(JSON.stringify(result)));
