const client = require('@petstore/client');
const types = require('@petstore/types');
const { roundTrip } = require('./round-trip.js');

roundTrip(client, types, process.argv.slice(2)).then((result) => console.log(JSON.stringify(result)));
