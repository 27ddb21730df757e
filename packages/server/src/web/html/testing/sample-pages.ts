/** Pages as sites of different kinds build them, shortened. */
export const docsPage = `<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><title>Connection pools — Widget 2.1 documentation</title>
<meta name="description" content="How Widget pools its connections.">
<link rel="canonical" href="/docs/pools/"></head>
<body class="theme-light"><a class="skip-link" href="#content">Skip to main content</a>
<header class="navbar"><a href="/">Widget</a><form role="search"><input placeholder="Search"><button>Go</button></form></header>
<div class="layout"><aside class="sidebar"><nav aria-label="Docs"><ul>
<li><a href="/docs/">Introduction</a></li><li><a href="/docs/install/">Install</a></li>
<li><a href="/docs/pools/" aria-current="page">Pools</a><ul><li><a href="/docs/pools/#sizing">Sizing</a></li></ul></li>
</ul></nav></aside>
<main id="content"><div class="breadcrumbs"><a href="/">Home</a> › <a href="/docs/">Docs</a></div>
<article class="markdown">
<h1>Connection pools<a class="headerlink" href="#pools" title="Link">¶</a></h1>
<p>A pool keeps up to <code>max</code> connections open, see <a href="../install/">the installation guide</a>
for what they cost. It is <strong>not</strong> shared between <em>processes</em>.</p>
<h2 id="sizing">Sizing<a class="hash-link" href="#sizing">#</a></h2>
<p>Start with twice the number of cores:</p>
<div class="highlight-js notranslate"><div class="highlight"><pre><code class="language-js">const pool = createPool({
  max: 2 * cores,   // &lt;= 100
});</code></pre><button class="copy">Copy</button></div></div>
<table><thead><tr><th>Option</th><th>Default</th><th>Meaning</th></tr></thead>
<tbody><tr><td><code>max</code></td><td>10</td><td>Most connections | hard limit</td></tr>
<tr><td><code>idle</code></td><td>30 s</td><td>Closed after this <br>without use</td></tr></tbody></table>
<div class="admonition note"><p class="admonition-title">Note</p><p>Pools of one process do not see each other.</p></div>
<ol start="3"><li><p>Open the pool.</p></li><li>Use it:<ul><li>borrow</li><li>give back</li></ul></li></ol>
<dl><dt>borrow</dt><dd>Takes a connection.</dd><dt>drain</dt><dd>Waits until all are back.</dd></dl>
<h2>Next steps</h2>
<p>Read on:</p>
<ul><li><a href="/docs/transactions/">Transactions</a></li><li><a href="/docs/errors/">Errors</a></li><li><a href="/docs/tuning/">Tuning</a></li></ul>
</article>
<div class="theme-edit-this-page"><a href="https://github.com/x/widget/edit/main/pools.md">Edit this page</a></div>
<nav class="pagination-nav"><a href="/docs/install/">Previous: Install</a><a href="/docs/errors/">Next: Errors</a></nav>
</main>
<div class="toc"><ul><li><a href="#sizing">Sizing</a></li><li><a href="#next">Next steps</a></li></ul></div></div>
<footer><p>Copyright 2024 Widget contributors. Built with a generator of documentation.</p></footer></body></html>`;

export const blogPost = `<html><head><title>Moving house | Ann's blog</title><meta property="og:locale" content="en_US">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"BlogPosting","headline":"Moving house",}</script></head>
<body class="single has-sidebar"><div id="page"><div id="masthead"><a href="/">Ann's blog</a><ul class="menu"><li><a href="/about">About</a></li></ul></div>
<div class="post hentry tag-social"><h1 class="entry-title">Moving house</h1>
<div class="entry-meta">Posted by <a href="/author/ann">Ann</a> on <time datetime="2024-05-01">1 May 2024</time></div>
<div class="entry-content"><p>Last week I moved this server, and with it everything that has lived on it since 2009, to a new machine.</p>
<p>It took an evening. The old one ran for 14 years, which is <b>longer</b> than any computer I have owned.</p>
<blockquote><p>Nothing is so permanent as a temporary solution.</p></blockquote>
<figure><img src="/img/rack.jpg" alt="The rack"><figcaption>The rack, seen from the back</figcaption></figure>
<p>Thanks to everybody who wrote in when the feed was broken; it works again.<br>Tell me if it does not.</p>
<div class="sharedaddy"><h3>Share this:</h3><ul><li><a href="https://twitter.com/share">Twitter</a></li></ul></div></div>
<div class="related-posts"><h3>Related</h3><ul><li><a href="/backups">How I make backups</a></li></ul></div>
<div id="comments" class="comments-area"><h2>3 thoughts on “Moving house”</h2><ol class="commentlist"><li><p>Congratulations, it feels a lot faster now than it did before you moved everything, at least from here.</p></li></ol></div></div>
<div id="secondary" class="widget-area"><p>Subscribe to get new posts by email, no more than once a week.</p></div>
<div id="cookie-notice"><p>We use cookies to make this site better. By staying here you agree to that, and to everything else that we may think of.</p></div>
</div></body></html>`;

export const productPage = `<html lang="de"><head><title>Wasserkocher K2 – Küchenladen</title><meta name="robots" content="noindex, follow"></head>
<body><header><nav><a href="/kueche">Küche</a> <a href="/bad">Bad</a></nav></header>
<main><div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Wasserkocher K2</h1>
<img itemprop="image" src="/bilder/k2.jpg" alt="Wasserkocher K2 in Weiß">
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="39.90">39,90 €</span>
<meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="https://schema.org/InStock"></div>
<button>In den Warenkorb</button>
<div itemprop="description"><p>Kocht 1,7 Liter in vier Minuten und schaltet sich danach von selbst ab.</p><ul><li>2200 Watt</li><li>Kabel 75 cm</li></ul></div></div>
<section class="related-products"><h2>Dazu passt</h2><ul><li><a href="/tee">Teekanne</a></li><li><a href="/becher">Becher</a></li><li><a href="/sieb">Sieb</a></li></ul></section></main>
<footer><a href="/impressum">Impressum</a></footer></body></html>`;

export const forumThread = `<html><head><title>Pump makes noise - Forum</title></head><body><div id="header"><a href="/">Forum</a></div>
<div id="thread"><h1>Pump makes noise</h1>
<div class="message"><div class="user"><a href="/u/1">karl</a></div><div class="message-body">Since yesterday my pump makes a grinding noise when it starts. It is about six years old, and I have never opened it.</div></div>
<div class="message"><div class="user"><a href="/u/2">mia</a></div><div class="message-body">That sounds like the bearing. Take the cover off and turn the shaft by hand: if it is rough, it has to be replaced.</div></div>
<div class="message"><div class="user"><a href="/u/1">karl</a></div><div class="message-body">It was the bearing, thank you! A new one cost less than ten euros, and the whole repair took me half an hour.</div></div></div>
<div id="footer"><a href="/rules">Rules</a></div></body></html>`;

export const wikiPage = `<html lang="en"><head><title>Heron - Wiki</title></head><body><div id="mw-panel" role="navigation"><ul><li><a href="/wiki/Main">Main page</a></li></ul></div>
<div id="content" role="main"><h1>Heron</h1><div id="mw-content-text"><div class="mw-parser-output">
<table class="infobox"><tr><th colspan="2">Heron</th></tr><tr><th>Family</th><td>Ardeidae</td></tr><tr><th>Legs</th><td>long</td></tr></table>
<p>The <b>herons</b> are long-legged, long-necked, freshwater and coastal <a href="/wiki/Bird">birds</a> in the family Ardeidae, with 74 recognised species.<sup class="reference"><a href="#cite-1">[1]</a></sup></p>
<div id="toc" class="toc"><h2>Contents</h2><ul><li><a href="#d">Description</a></li></ul></div>
<h2><span class="mw-headline" id="d">Description</span><span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2>
<p>They resemble birds of other families, such as storks and ibises, but fly with their necks retracted, not outstretched.</p>
</div></div></div><div id="footer"><ul><li>This page was last edited on 3 May.</li></ul></div></body></html>`;

export const linkListPage = `<html><head><title>Archive</title></head><body><nav><a href="/">Home</a></nav><h1>Archive</h1><ul>
<li><a href="/2024/a">Of ducks</a></li><li><a href="/2024/b">Of geese</a></li><li><a href="/2023/c">Of swans</a></li></ul>
<footer><a href="/imprint">Imprint</a></footer></body></html>`;
