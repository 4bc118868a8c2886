// Sets theme and density before the first paint. It is a file of its own because the policy of the page forbids inline scripts.
(() => {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem('spandrel.preferences') ?? '{}') ?? {};
  } catch {
    // Without storage, or with something else in it, the defaults hold.
  }
  const root = document.documentElement;
  root.dataset.theme = ['light', 'dark'].includes(kept.theme) ? kept.theme : 'system';
  root.dataset.density = kept.density === 'comfortable' ? 'comfortable' : 'compact';
})();
