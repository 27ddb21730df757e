// Loaded before everything else into each process of the tests: its clocks stand still for HOLDFAST_TEST_CLOCK_MS at a time.
const step = Number(process.env.HOLDFAST_TEST_CLOCK_MS);
const coarse = (time) => time - (time % step);

if (step > 0) {
  const Exact = Date;
  globalThis.Date = new Proxy(Exact, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length > 0 ? given : [coarse(Exact.now())], made),
    get: (target, name, proxy) =>
      name === 'now' ? () => coarse(Exact.now()) : Reflect.get(target, name, proxy),
  });
  // Measures spans, and is precise wherever there is a clock; a millisecond is the coarsest it gets.
  const exact = performance.now.bind(performance);
  performance.now = () => Math.floor(exact());
}
